// Facts about an action beyond its dialog: what undoes it, and whether teams read its reason.
import type { PlannedChange } from '@fairgate/contracts/management/planned-action.ts'
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

/** Undoes an action, only for the teams that it changed. */
export type Undo = {
  readonly requests: readonly PlannedRequest[]
  /** The changes that the requests must reverse exactly. Null for an opposite action. */
  readonly reverses: readonly PlannedChange[] | null
}

/** `changes`: the changes that the action made. Null if nothing undoes it. */
export function findUndo({ path, body }: PlannedRequest, changes: readonly PlannedChange[]): Undo | null {
  const teams = [...new Set(changes.map(({ subject }) => subject))]
  const opposite = opposites[path]
  if (opposite !== undefined && path.startsWith('/teams/'))
    return teams.length === 0 ? null : actionAgain(opposite, { teams })
  if (opposite !== undefined) return actionAgain(opposite, path.startsWith('/event/') ? {} : body)
  const amount = body?.amount_nano
  if (path === '/teams/grant' && typeof amount === 'number' && teams.length > 0)
    return actionAgain(path, { teams, amount_nano: -amount })
  return null
}

function actionAgain(path: string, body: PlannedRequest['body']): Undo {
  return { requests: [{ method: 'POST', path, body }], reverses: null }
}

/** `requests` restore the previous values. */
export function restore(requests: readonly PlannedRequest[], changes: readonly PlannedChange[]): Undo | null {
  return requests.length === 0 || changes.length === 0 ? null : { requests, reverses: changes }
}

/** True if `later` reverses `earlier` and nothing else. False once the same values have changed again in between. */
export function isReversed(earlier: readonly PlannedChange[], later: readonly PlannedChange[]): boolean {
  const name = ({ what, subject, from, to }: PlannedChange) => JSON.stringify([what, subject, from, to])
  const wanted = withoutMembers(earlier).map(change => name({ ...change, from: change.to, to: change.from }))
  return wanted.sort().join() === withoutMembers(later).map(name).sort().join()
}

/** Drops the members of whole phases, because a phase that is added lists its members and one that is removed does not. */
function withoutMembers(changes: readonly PlannedChange[]): readonly PlannedChange[] {
  const whole = new Set(changes.filter(({ what }) => what === 'phase').map(({ subject }) => subject))
  return changes.filter(({ what, subject }) => !what.startsWith('phase.') || !whole.has(subject))
}

/** Teams see these reasons with every refused call and on their page. */
export function isReasonForTeams({ path }: PlannedRequest): boolean {
  return path === '/event/pause' || path === '/event/end'
}
