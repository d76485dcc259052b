// The event's settings on disk, the locks that they put on the boards of all teams, and everything that an event file changes.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'
import type { AnnouncementRow } from './announcements.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { type BoardLock, createBoard, writeBoardLocks } from './boards.ts'
import { tryChange } from './directory-version.ts'
import type { KeyRow } from './gateway-keys.ts'
import { type AppendJudgingInput, appendJudging } from './judging-records.ts'
import type { MemberRow } from './members.ts'
import { changeNumbered, insertNumbered } from './numbered-rows.ts'
import type { TeamRow } from './teams.ts'

export type EventChange = {
  /** JSON, in the form of directory/event/event-record.ts. */
  readonly document: string
  readonly boardLocks: readonly BoardLock[]
  /** The version that the change was made from; 0 if there were no settings. */
  readonly seen: number
}

/**
 * Writes the row with its audit row. Returns the number of the change, or null if the row has another version by now; nothing is written
 * then.
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

/** For a statement that changes the event with other rows, within its numbered change. False if the row has another version by now. */
async function writeEvent(
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

/** `insert into event_settings …` if nothing was set yet, otherwise `update event_settings set … where version = ?`. */
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
 * `update boards set event_locks = ?` if they differ. It waits for the appends that hold their boards, so that after a lock has committed
 * no entry is stored against it. The rows are taken in the order of appends, or two of these could wait for each other.
 */
async function lockBoards(db: Kysely<Schema>, locks: string | null): Promise<void> {
  const differs = sql<boolean>`coalesce(event_locks, '') <> ${locks ?? ''}`
  if (dialectOf(db) === 'postgres')
    await sql`select team_id from boards where ${differs} order by team_id collate "C" for update`.execute(db)
  await db.updateTable('boards').set({ event_locks: locks }).where(differs).execute()
}

export type ApplyInput = {
  /** The number of the last change when this one was planned: it depends on everything that the directory had then. */
  readonly seen: number
  /** Null if the event's settings are unchanged. */
  readonly event: EventChange | null
  readonly newTeams: readonly TeamRow[]
  readonly changedTeams: readonly TeamRow[]
  readonly newMembers: readonly MemberRow[]
  readonly changedMembers: readonly MemberRow[]
  readonly newKeys: readonly KeyRow[]
  readonly changedKeys: readonly KeyRow[]
  readonly newAnnouncements: readonly AnnouncementRow[]
  readonly changedAnnouncements: readonly AnnouncementRow[]
  readonly audit: readonly AuditEntry[]
  readonly judging: AppendJudgingInput | null
}

/**
 * Returns the number of the change, or null if there was another one since `seen`, or another record of judging; nothing is written then.
 */
export async function applyEventChanges(db: Kysely<Schema>, input: ApplyInput): Promise<number | null> {
  return await tryChange(db, async version => {
    if (version !== input.seen + 1) return false
    if (input.judging !== null && !(await appendJudging(db, input.judging))) return false
    // The event first: the boards of new teams get its locks.
    if (input.event !== null && !(await writeEvent(db, input.event, version)))
      throw new Error('The settings of the event have a version that no change has written.')
    for (const team of input.newTeams) {
      await insertNumbered(db, 'teams', team, version)
      await createBoard(db, { teamId: team.team_id, now: team.created_at })
    }
    for (const team of input.changedTeams) await changeNumbered(db, 'teams', team, version)
    for (const member of input.newMembers) await insertNumbered(db, 'members', member, version)
    for (const member of input.changedMembers) await changeNumbered(db, 'members', member, version)
    for (const key of input.newKeys) await insertNumbered(db, 'gateway_keys', key, version)
    for (const key of input.changedKeys) await changeNumbered(db, 'gateway_keys', key, version)
    for (const row of input.newAnnouncements) await insertNumbered(db, 'announcements', row, version)
    for (const row of input.changedAnnouncements) await changeNumbered(db, 'announcements', row, version)
    await appendAudit(db, input.audit)
    return true
  })
}
