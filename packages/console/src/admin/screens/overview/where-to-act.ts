// Maps a condition to the console screen that fixes it.
import type { ConditionRecord } from '@fairgate/contracts/console/attention.ts'

/** `href`: a path within the console. */
export type Place = { readonly label: string; readonly href: string }

/** Null if no screen helps. */
export function whereToAct({ kind, subjects }: Pick<ConditionRecord, 'kind' | 'subjects'>): Place | null {
  const team = subjects.find(subject => subject.kind === 'team')?.id
  if (team !== undefined) {
    const path = `/console/teams/${encodeURIComponent(team)}`
    if (kind.startsWith('budget')) return { label: 'Grant…', href: `${path}?do=grant` }
    if (kind === 'refused_often')
      return { label: 'Calls', href: `/console/calls?team=${encodeURIComponent(team)}&outcome=refused` }
    if (kind === 'log_uncovered') return { label: 'Evidence', href: `${path}/evidence` }
    return { label: 'Open', href: path }
  }
  if (kind.startsWith('upstream')) return { label: 'Upstreams', href: '/console/models' }
  if (kind === 'submissions_missing')
    return { label: 'Submissions', href: '/console/submissions?state=missing' }
  if (kind.startsWith('event_cap')) return { label: 'Spend', href: '/console/spend' }
  return null
}
