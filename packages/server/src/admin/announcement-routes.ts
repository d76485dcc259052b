// Routes for announcements: GET and POST /announcements, DELETE /announcements/{announcement_id}.
import {
  type AnnouncementList,
  type AnnouncementReply,
  announcementListSchema,
  announcementReplySchema,
  listAnnouncementsQuerySchema,
  newAnnouncementBodySchema,
  removeAnnouncementQuerySchema,
} from '@fairgate/contracts/management/announcements.ts'
import {
  type Announcement,
  type AnnouncementReads,
  buildAnnouncementRecord,
  stateAt,
} from '../directory/announcements.ts'
import { takePage } from '../directory/pages.ts'
import type { Store } from '../store/store.ts'
import { type AdminRoute, actionRoute, lookupRoute, type Management } from './management-route.ts'

const tag = 'Announcements'

export function announcementRoutes({ directory, read, clock, moment }: Management): AdminRoute[] {
  const describe = (announcement: Announcement, now: number, reads: ReadsById | null) =>
    buildAnnouncementRecord(
      announcement,
      directory.teams(),
      now,
      reads === null ? null : (reads.get(announcement.announcementId) ?? nobody),
    )
  const reply = (announcement: Announcement, reads: ReadsById | null): AnnouncementReply => {
    return { ...describe(announcement, clock(), reads), ...moment() }
  }

  return [
    lookupRoute({
      tag,
      openTo: 'everyone',
      path: '/announcements',
      summary: 'List current and scheduled announcements, newest first',
      query: listAnnouncementsQuerySchema,
      reply: announcementListSchema,
      errors: ['invalid_request'],
      look: async ({ past = false, ...asked }): Promise<AnnouncementList> => {
        const now = clock()
        const found = directory
          .announcements()
          .filter(announcement => past || !['over', 'removed'].includes(stateAt(announcement, now)))
          .toReversed()
        const { page, next } = takePage(found, ({ announcementId }) => announcementId, asked)
        const reads = await countReads(read)
        return {
          items: page.map(announcement => describe(announcement, now, reads)),
          next,
          total: { count: found.length },
          ...moment(),
        }
      },
    }),
    actionRoute(moment, {
      tag,
      openTo: 'organisers',
      path: '/announcements',
      summary: 'Announce something to all teams or some',
      description:
        'Teams read it in `/team/info` of the gateway, in `/api/announcements` of the logbook, and once per clone when the recorder pushes.',
      body: newAnnouncementBodySchema,
      reply: announcementReplySchema,
      errors: ['team_not_found', 'conflict'],
      action: (body, actor) => directory.announce(body, actor),
      describe: made => reply(made, new Map()),
    }),
    actionRoute(moment, {
      tag,
      openTo: 'organisers',
      path: '/announcements/:announcement_id',
      summary: 'Remove an announcement',
      query: removeAnnouncementQuerySchema,
      reply: announcementReplySchema,
      errors: ['announcement_not_found', 'conflict'],
      action: (query, actor, { announcement_id: id = '' }) => directory.removeAnnouncement(id, query, actor),
      describe: async removed => reply(removed, await countReads(read)),
    }),
  ]
}

type ReadsById = ReadonlyMap<string, AnnouncementReads>
const nobody: AnnouncementReads = { teams: 0, members: 0 }

/** Null while the database is unavailable. Announcements themselves are in memory and can still be read then. */
async function countReads(read: Pick<Store['read'], 'countAnnouncementReads'>): Promise<ReadsById | null> {
  const counts = await read.countAnnouncementReads(null).catch(() => null)
  return counts === null ? null : new Map(counts.map(count => [count.announcementId, count]))
}
