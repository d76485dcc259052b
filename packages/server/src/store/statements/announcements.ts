// Announcements on disk, each change written with its number and its audit row, and who has read them. Removed ones stay.
import { type Kysely, sql } from 'kysely'
import type { AnnouncementReadsTable, AnnouncementsTable } from '../schema/notices.ts'
import type { Schema } from '../schema/schema.ts'
import { changeAlone, insertAlone } from './numbered-rows.ts'

/** A row as its author builds it; the statement numbers it. */
export type AnnouncementRow = Omit<AnnouncementsTable, 'version'>

export const insertAnnouncement = insertAlone('announcements')
export const removeAnnouncement = changeAlone('announcements')

/** `insert into announcement_reads … on conflict do nothing`: the first time counts. */
export async function noteAnnouncementRead(
  db: Kysely<Schema>,
  { read }: { readonly read: AnnouncementReadsTable },
): Promise<void> {
  await db
    .insertInto('announcement_reads')
    .values(read)
    .onConflict(conflict => conflict.columns(['announcement_id', 'team_id', 'member_id']).doNothing())
    .execute()
}

export type ReadCount = {
  readonly announcementId: string
  readonly teams: number
  /** Readers with their own key. */
  readonly members: number
}

/** `select announcement_id, count(distinct team_id), count(distinct nullif(member_id, '')) … group by announcement_id`. */
export async function countAnnouncementReads(db: Kysely<Schema>, _input: null): Promise<ReadCount[]> {
  return await db
    .selectFrom('announcement_reads')
    .select(['announcement_id as announcementId', sql<number>`count(distinct team_id)`.as('teams')])
    .select(sql<number>`count(distinct nullif(member_id, ''))`.as('members'))
    .groupBy('announcement_id')
    .execute()
}
