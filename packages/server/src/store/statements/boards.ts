// A team's board: whether it takes entries, and the head of its chain.
import type { Kysely, Selectable } from 'kysely'
import type { BoardsTable } from '../schema/logbook.ts'
import type { Schema } from '../schema/schema.ts'
import { emptyChain } from './entry-chain.ts'

export type Board = {
  readonly teamId: string
  readonly locked: boolean
  /** Unix ms from which on the board is locked; null for no set time. */
  readonly lockAt: number | null
  readonly headSeq: number
  readonly headChain: string
  /** When the last entry was received, in microseconds; 0 while there is none. */
  readonly headReceivedMicros: number
  readonly updatedAt: number
}

/** Whether a board refuses entries at `now` (Unix ms): locked by hand, or its set time has come (spec 3.3). */
export function isBoardLocked(board: Pick<Board, 'locked' | 'lockAt'>, now: number): boolean {
  return board.locked || (board.lockAt !== null && board.lockAt <= now)
}

/** Does nothing when the board exists: `insert into boards … on conflict do nothing`. */
export async function createBoard(
  db: Kysely<Schema>,
  input: { teamId: string; now: number; version?: number },
): Promise<void> {
  await db
    .insertInto('boards')
    .values({
      team_id: input.teamId,
      locked: 0,
      lock_at: null,
      head_seq: 0,
      head_chain: emptyChain,
      head_received_micros: 0,
      updated_at: input.now,
      version: input.version,
    })
    .onConflict(conflict => conflict.column('team_id').doNothing())
    .execute()
}

/**
 * Sets both kinds of lock and returns the board. Once this has committed, no further entry can be stored, because an append
 * holds the same row: `update boards set locked, lock_at … where team_id = ? returning *`.
 */
export async function setBoardLock(
  db: Kysely<Schema>,
  input: { teamId: string; locked: boolean; lockAt: number | null; now: number; version?: number },
): Promise<Board> {
  await createBoard(db, input)
  const row = await db
    .updateTable('boards')
    .set({
      locked: input.locked ? 1 : 0,
      lock_at: input.lockAt,
      updated_at: input.now,
      version: input.version,
    })
    .where('team_id', '=', input.teamId)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toBoard(row)
}

/** `select * from boards where team_id = ?`; undefined when nothing was ever stored or locked. */
export async function readBoard(db: Kysely<Schema>, input: { teamId: string }): Promise<Board | undefined> {
  const row = await db.selectFrom('boards').selectAll().where('team_id', '=', input.teamId).executeTakeFirst()
  return row === undefined ? undefined : toBoard(row)
}

/** `select * from boards order by team_id`. */
export async function listBoards(db: Kysely<Schema>): Promise<Board[]> {
  const rows = await db.selectFrom('boards').selectAll().orderBy('team_id').execute()
  return rows.map(toBoard)
}

export function toBoard(row: Selectable<BoardsTable>): Board {
  return {
    teamId: row.team_id,
    locked: row.locked === 1,
    lockAt: row.lock_at,
    headSeq: row.head_seq,
    headChain: row.head_chain,
    headReceivedMicros: row.head_received_micros,
    updatedAt: row.updated_at,
  }
}
