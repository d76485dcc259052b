// Announcements on disk, each change written with its number and its audit row. A removed one stays.
import type { Kysely } from 'kysely'
import type { AnnouncementsTable } from '../schema/notices.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { tryChange } from './directory-version.ts'

/** A row as its author knows it; the statement numbers it. */
export type AnnouncementRow = Omit<AnnouncementsTable, 'version'>

/** `insert into announcements …` with its audit row. Answers the number of the change. */
export async function insertAnnouncement(
  db: Kysely<Schema>,
  { announcement, audit }: { readonly announcement: AnnouncementRow; readonly audit: AuditEntry },
): Promise<number | null> {
  return await tryChange(db, async version => {
    await db
      .insertInto('announcements')
      .values({ ...announcement, version })
      .execute()
    await appendAudit(db, [audit])
    return true
  })
}

export type RemoveAnnouncementInput = {
  readonly announcementId: string
  /** The version that the change was made from. */
  readonly seen: number
  readonly now: number
  readonly audit: AuditEntry
}

/** `update announcements set removed_at = ? … where version = ?`. Null when the row has another version; nothing is written then. */
export async function removeAnnouncement(
  db: Kysely<Schema>,
  { announcementId, seen, now, audit }: RemoveAnnouncementInput,
): Promise<number | null> {
  return await tryChange(db, async version => {
    const { numUpdatedRows } = await db
      .updateTable('announcements')
      .set({ removed_at: now, version })
      .where('announcement_id', '=', announcementId)
      .where('version', '=', seen)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    await appendAudit(db, [audit])
    return true
  })
}
