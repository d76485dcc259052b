// What is known of an action beyond its own dialog: what undoes it, and who reads its reason.
import type { PlannedChange } from '@fairgate/contracts/management/planned-act.ts'
import type { PlannedRequest } from './send-planned.ts'

const opposites: Readonly<Record<string, string>> = {
  '/teams/lock': '/teams/unlock',
  '/teams/unlock': '/teams/lock',
  '/teams/block': '/teams/unblock',
  '/teams/unblock': '/teams/block',
  '/key/block': '/key/unblock',
  '/event/pause': '/event/resume',
  '/event/end': '/event/reopen',
}

/** Takes an action back, for those teams alone that it has changed. */
export type Undo = {
  readonly requests: readonly PlannedRequest[]
  /** The changes of an action whose values are restored: the requests must reverse exactly these. Null for an opposite action. */
  readonly reverses: readonly PlannedChange[] | null
}

/** `changes`: those of the action. Null if nothing takes it back. */
export function findUndo({ path, body }: PlannedRequest, changes: readonly PlannedChange[]): Undo | null {
  const teams = [...new Set(changes.map(({ subject }) => subject))]
  const opposite = opposites[path]
  if (opposite !== undefined && path.startsWith('/teams/'))
    return teams.length === 0 ? null : actAgain(opposite, { teams })
  if (opposite !== undefined) return actAgain(opposite, path.startsWith('/event/') ? {} : body)
  const amount = body?.amount_nano
  if (path === '/teams/grant' && typeof amount === 'number' && teams.length > 0)
    return actAgain(path, { teams, amount_nano: -amount })
  return null
}

function actAgain(path: string, body: PlannedRequest['body']): Undo {
  return { requests: [{ method: 'POST', path, body }], reverses: null }
}

/** `requests` restore the values of before. */
export function restore(requests: readonly PlannedRequest[], changes: readonly PlannedChange[]): Undo | null {
  return requests.length === 0 || changes.length === 0 ? null : { requests, reverses: changes }
}

/** Whether `later` reverses `earlier` and nothing else. False once somebody has changed the same things in between. */
export function isReversed(earlier: readonly PlannedChange[], later: readonly PlannedChange[]): boolean {
  const name = ({ what, subject, from, to }: PlannedChange) => JSON.stringify([what, subject, from, to])
  const wanted = withoutMembers(earlier).map(change => name({ ...change, from: change.to, to: change.from }))
  return wanted.sort().join() === withoutMembers(later).map(name).sort().join()
}

/** A phase that comes lists its members, and one that goes does not. */
function withoutMembers(changes: readonly PlannedChange[]): readonly PlannedChange[] {
  const whole = new Set(changes.filter(({ what }) => what === 'phase').map(({ subject }) => subject))
  return changes.filter(({ what, subject }) => !what.startsWith('phase.') || !whole.has(subject))
}

/** Teams get the reason with every call that is refused, and on their page. */
export function isReasonForTeams({ path }: PlannedRequest): boolean {
  return path === '/event/pause' || path === '/event/end'
}
