// A team's board: whether it accepts entries, by manual lock and by the event, and the head of its chain.
import type { Kysely, Selectable } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { BoardsTable } from '../schema/logbook.ts'
import type { Schema } from '../schema/schema.ts'
import { readDatabaseClock } from './database-clock.ts'
import { emptyChain } from './entry-chain.ts'

export type Board = {
  readonly teamId: string
  readonly locked: boolean
  /** Unix ms from which on the board is locked; null for no lock time. */
  readonly lockAt: number | null
  /** When the event locks the board, and when an organiser opened it regardless (Unix ms). */
  readonly eventLocks: readonly BoardLock[]
  readonly openedAt: number | null
  readonly headSeq: number
  readonly headChain: string
  /** When the last entry was received, in microseconds; 0 while there is none. */
  readonly headReceivedMicros: number
  readonly updatedAt: number
}

/** True if an organiser has locked the board at `now` (Unix ms): at once, or its lock time has passed (spec 3.3). */
export function isLockedByHand(board: Pick<Board, 'locked' | 'lockAt'>, now: number): boolean {
  return board.locked || (board.lockAt !== null && board.lockAt <= now)
}

/** True if a board refuses entries of `now` (Unix ms): locked manually, or by the event. Entries from before may still be accepted. */
export function isBoardLocked(board: Board, now: number): boolean {
  return isLockedByHand(board, now) || eventLockAt(board, now).kind !== 'open'
}

/** Since when (Unix ms) the board has accepted entries of `now`; null while it refuses them. */
export function acceptsSince(board: Board, now: number): number | null {
  if (isBoardLocked(board, now)) return null
  const opened = board.eventLocks.map(({ reopensAt }) => reopensAt ?? 0).filter(moment => moment <= now)
  return Math.max(board.updatedAt, ...opened)
}

/** With the locks of the event. Does nothing if the board exists: `insert into boards … on conflict do nothing`. */
export async function createBoard(db: Kysely<Schema>, input: { teamId: string; now: number }): Promise<void> {
  await db
    .insertInto('boards')
    .values({
      team_id: input.teamId,
      locked: 0,
      lock_at: null,
      event_locks: db.selectFrom('event_settings').select('board_locks'),
      head_seq: 0,
      head_chain: emptyChain,
      head_received_micros: 0,
      updated_at: input.now,
    })
    .onConflict(conflict => conflict.column('team_id').doNothing())
    .execute()
}

/** `select * from boards where team_id = ?`; undefined if nothing was ever stored or locked. */
export async function readBoard(db: Kysely<Schema>, input: { teamId: string }): Promise<Board | undefined> {
  const row = await db.selectFrom('boards').selectAll().where('team_id', '=', input.teamId).executeTakeFirst()
  return row === undefined ? undefined : toBoard(row)
}

/** `select * from boards order by team_id`. */
export async function listBoards(db: Kysely<Schema>): Promise<Board[]> {
  const rows = await db.selectFrom('boards').selectAll().orderBy('team_id').execute()
  return rows.map(toBoard)
}

/** `select * from boards where team_id = ? for update`. SQLite has one writer and needs no row lock. */
export async function holdBoard(db: Kysely<Schema>, teamId: string, now: number | null): Promise<Board> {
  const select = db.selectFrom('boards').selectAll().where('team_id', '=', teamId)
  const holding = dialectOf(db) === 'postgres' ? select.forUpdate() : select
  const found = await holding.executeTakeFirst()
  if (found !== undefined) return toBoard(found)
  const createdAt = now ?? Math.floor((await readDatabaseClock(db)) / 1000)
  await createBoard(db, { teamId, now: createdAt })
  return toBoard(await holding.executeTakeFirstOrThrow())
}

export function toBoard(row: Selectable<BoardsTable>): Board {
  return {
    teamId: row.team_id,
    locked: row.locked === 1,
    lockAt: row.lock_at,
    eventLocks: readBoardLocks(row.event_locks),
    openedAt: row.opened_at ?? null,
    headSeq: row.head_seq,
    headChain: row.head_chain,
    headReceivedMicros: row.head_received_micros,
    updatedAt: row.updated_at,
  }
}

/** Unix ms. From `closesAt` on, entries from before are accepted until `lateUntil`, and others not until `reopensAt`. */
export type BoardLock = {
  readonly closesAt: number
  readonly lateUntil: number
  readonly reopensAt: number | null
}

/** Null if there are none. */
export function writeBoardLocks(locks: readonly BoardLock[]): string | null {
  return locks.length === 0 ? null : JSON.stringify(locks)
}

/** Undefined in a backup of a version without events. Throws an Error for a value that Fairgate did not write. */
function readBoardLocks(text: string | null | undefined): readonly BoardLock[] {
  if (text === null || text === undefined) return []
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value) && value.every(isBoardLock)) return value
  throw new Error('The database holds a value in event_locks that Fairgate did not write.')
}

/** Written by hand: TypeBox is 680 modules, which every database thread would load at its start (0.1 s). */
function isBoardLock(value: unknown): value is BoardLock {
  if (typeof value !== 'object' || value === null) return false
  const { closesAt, lateUntil, reopensAt } = value as Readonly<Record<string, unknown>>
  return (
    Number.isInteger(closesAt) &&
    Number.isInteger(lateUntil) &&
    (reopensAt === null || Number.isInteger(reopensAt))
  )
}

/** The entries that the event lets a board accept: all, none, or those from before a moment (Unix ms). */
export type EventLock =
  | { readonly kind: 'open' }
  | { readonly kind: 'late'; readonly before: number; readonly until: number }
  | { readonly kind: 'locked'; readonly since: number }

/** `openedAt`: when an organiser opened the board manually; an earlier lock no longer counts for it. */
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
