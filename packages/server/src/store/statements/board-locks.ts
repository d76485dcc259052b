// When the event locks the boards of all teams, as each board keeps it: what an append needs stands in the row that it holds anyway.

/** Unix ms. From `closesAt` on, entries of before are taken until `lateUntil`, and others not until `reopensAt`. */
export type BoardLock = {
  readonly closesAt: number
  readonly lateUntil: number
  readonly reopensAt: number | null
}

/** Null where there are none. */
export function writeBoardLocks(locks: readonly BoardLock[]): string | null {
  return locks.length === 0 ? null : JSON.stringify(locks)
}

/** Undefined in a backup of a version that knew no events. Throws an Error for what Fairgate did not write. */
export function readBoardLocks(text: string | null | undefined): readonly BoardLock[] {
  if (text === null || text === undefined) return []
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value) && value.every(isBoardLock)) return value
  throw new Error('The database holds a value in event_locks that Fairgate did not write.')
}

/** By hand: TypeBox is 680 modules, which every thread of the database would load at its start (0.1 s). */
function isBoardLock(value: unknown): value is BoardLock {
  if (typeof value !== 'object' || value === null) return false
  const { closesAt, lateUntil, reopensAt } = value as Readonly<Record<string, unknown>>
  return (
    Number.isInteger(closesAt) &&
    Number.isInteger(lateUntil) &&
    (reopensAt === null || Number.isInteger(reopensAt))
  )
}

/** What the event lets a board take: everything, nothing, or what happened before a moment (Unix ms). */
export type EventLock =
  | { readonly kind: 'open' }
  | { readonly kind: 'late'; readonly before: number; readonly until: number }
  | { readonly kind: 'locked'; readonly since: number }

/** `openedAt`: when an organiser opened the board by hand; a lock of before no longer counts for it. */
export function eventLockAt(
  { eventLocks, openedAt }: { readonly eventLocks: readonly BoardLock[]; readonly openedAt: number | null },
  now: number,
): EventLock {
  const locks = eventLocks.filter(
    ({ closesAt, reopensAt }) =>
      closesAt <= now &&
      (reopensAt === null || now < reopensAt) &&
      (openedAt === null || closesAt > openedAt),
  )
  if (locks.length === 0) return { kind: 'open' }
  const since = Math.min(...locks.map(({ closesAt }) => closesAt))
  const until = Math.min(...locks.map(({ lateUntil }) => lateUntil))
  return now < until ? { kind: 'late', before: since, until } : { kind: 'locked', since }
}
