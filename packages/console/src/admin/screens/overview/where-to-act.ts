// Where in the console a condition is dealt with.
import type { ConditionRecord } from '@fairgate/contracts/console/attention.ts'

/** `href`: an address of the console. */
export type Place = { readonly label: string; readonly href: string }

/** Null where no screen of the console helps. */
export function whereToAct({ kind, subjects }: Pick<ConditionRecord, 'kind' | 'subjects'>): Place | null {
  const team = subjects.find(subject => subject.kind === 'team')?.id
  if (team !== undefined) {
    const path = `/console/teams/${encodeURIComponent(team)}`
    return kind === 'budget_spent' || kind === 'budget_low'
      ? { label: 'Grant…', href: `${path}?do=grant` }
      : { label: 'Open', href: path }
  }
  if (kind.startsWith('upstream')) return { label: 'Upstreams', href: '/console/models' }
  if (kind.startsWith('event_cap')) return { label: 'Spend', href: '/console/spend' }
  return null
}
