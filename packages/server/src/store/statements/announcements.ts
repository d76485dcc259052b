// Announcements on disk, each change written with its number and its audit row. A removed one stays.
import type { Kysely } from 'kysely'
import type { AnnouncementsTable } from '../schema/notices.ts'
import type { Schema } from '../schema/schema.ts'
import type { AuditEntry } from './audit.ts'
import { changeAlone, insertAlone } from './numbered-rows.ts'

/** A row as its author knows it; the statement numbers it. */
export type AnnouncementRow = Omit<AnnouncementsTable, 'version'>

/** `insert into announcements …` with its audit row. Answers the number of the change. */
export async function insertAnnouncement(
  db: Kysely<Schema>,
  { announcement, audit }: { readonly announcement: AnnouncementRow; readonly audit: AuditEntry },
): Promise<number> {
  return await insertAlone(db, 'announcements', announcement, audit)
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
  const removed = { announcement_id: announcementId, removed_at: now }
  return await changeAlone(db, 'announcements', removed, seen, audit)
}
