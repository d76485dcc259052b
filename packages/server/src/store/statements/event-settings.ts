// The settings of the event on disk, and the locks that they put on the boards of all teams.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { type BoardLock, writeBoardLocks } from './board-locks.ts'
import { tryChange } from './directory-version.ts'

export type EventChange = {
  /** JSON, as directory/event/event-rows.ts has it. */
  readonly document: string
  readonly boardLocks: readonly BoardLock[]
  /** The version that the change was made from; 0 where there were no settings. */
  readonly seen: number
}

/**
 * Writes the row with its audit row. Answers the number of the change, or null when the row has another version by now; nothing is
 * written then.
 */
export async function updateEvent(
  db: Kysely<Schema>,
  { event, audit }: { readonly event: EventChange; readonly audit: AuditEntry },
): Promise<number | null> {
  return await tryChange(db, async version => {
    if (!(await writeEvent(db, event, version))) return false
    await appendAudit(db, [audit])
    return true
  })
}

/** For a statement that changes the event with other rows, within its numbered change. False when the row has another version by now. */
export async function writeEvent(
  db: Kysely<Schema>,
  { document, boardLocks, seen }: EventChange,
  version: number,
): Promise<boolean> {
  const locks = writeBoardLocks(boardLocks)
  const row = { document, board_locks: locks, version }
  if (!(await writeRow(db, row, seen))) return false
  await lockBoards(db, locks)
  return true
}

/** `insert into event_settings …` where nobody has set anything, else `update event_settings set … where version = ?`. */
async function writeRow(
  db: Kysely<Schema>,
  row: { readonly document: string; readonly board_locks: string | null; readonly version: number },
  seen: number,
): Promise<boolean> {
  if (seen === 0) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('event_settings')
      .values({ id: 1, ...row })
      .onConflict(conflict => conflict.column('id').doNothing())
      .executeTakeFirstOrThrow()
    return numInsertedOrUpdatedRows !== 0n
  }
  const { numUpdatedRows } = await db
    .updateTable('event_settings')
    .set(row)
    .where('version', '=', seen)
    .executeTakeFirstOrThrow()
  return numUpdatedRows !== 0n
}

/**
 * `update boards set event_locks = ?` where they are others. It waits for the appends that hold their boards, so that once a lock has
 * committed no entry is stored against it. The rows are taken in the order of appends, or two of these could wait for each other.
 */
async function lockBoards(db: Kysely<Schema>, locks: string | null): Promise<void> {
  const differs = sql<boolean>`coalesce(event_locks, '') <> ${locks ?? ''}`
  if (dialectOf(db) === 'postgres')
    await sql`select team_id from boards where ${differs} order by team_id collate "C" for update`.execute(db)
  await db.updateTable('boards').set({ event_locks: locks }).where(differs).execute()
}
