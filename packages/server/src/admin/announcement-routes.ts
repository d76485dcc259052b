// GET and POST /announcements, DELETE /announcements/{announcement_id}.

import { isoTime } from '@fairgate/contracts/iso-time.ts'
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
import type { Directory } from '../directory/create-directory.ts'
import { refuseValue } from '../directory/refusals.ts'
import type { Store } from '../store/store.ts'
import { type AdminRoute, defineAdminRoute } from './admin-route.ts'
import type { AdminCaller } from './authenticate-admin.ts'
import { answerAct, orPreview, previewText } from './describe-preview.ts'
import { answer, changeRoute, lookupRoute } from './management-route.ts'

const tag = 'Announcements'
const defaultLimit = 100

export function announcementRoutes(
  directory: Directory,
  read: Pick<Store['read'], 'countAnnouncementReads'>,
  clock: () => number,
): AdminRoute[] {
  const moment = (now: number) => ({ as_of: isoTime(now), version: directory.version() })
  const describe = (announcement: Announcement, now: number, reads: ReadsById | null) =>
    buildAnnouncementRecord(
      announcement,
      directory
        .teams()
        .filter(({ blocked }) => blocked !== true)
        .map(({ teamId }) => teamId),
      now,
      reads === null ? null : (reads.get(announcement.announcementId) ?? nobody),
    )
  const reply = (announcement: Announcement, reads: ReadsById | null): AnnouncementReply => {
    const now = clock()
    return { ...describe(announcement, now, reads), ...moment(now) }
  }

  return [
    lookupRoute({
      tag,
      openTo: 'everyone',
      path: '/announcements',
      summary: 'What teams are told now and will be told, the newest first',
      query: listAnnouncementsQuerySchema,
      reply: announcementListSchema,
      errors: ['invalid_request'],
      look: async ({ past = false, limit = defaultLimit, after }): Promise<AnnouncementList> => {
        const now = clock()
        const found = directory
          .announcements()
          .filter(announcement => past || !['over', 'removed'].includes(stateAt(announcement, now)))
          .toReversed()
        const last =
          after === undefined ? -1 : found.findIndex(({ announcementId }) => announcementId === after)
        if (after !== undefined && last < 0) throw refuseValue('after', 'take the `next` of the page before.')
        const page = found.slice(last + 1, last + 1 + limit)
        const reads = await countReads(read)
        const isLast = last + 1 + limit >= found.length
        return {
          items: page.map(announcement => describe(announcement, now, reads)),
          next: isLast ? null : (page.at(-1)?.announcementId ?? null),
          total: { count: found.length },
          ...moment(now),
        }
      },
    }),
    changeRoute({
      tag,
      openTo: 'organisers',
      path: '/announcements',
      summary: 'Tell all teams something, or some',
      description: `Teams read it in \`/team/info\` of the gateway, in \`/api/announcements\` of the logbook, and once per clone from the recorder at a push. ${previewText}`,
      body: newAnnouncementBodySchema,
      reply: orPreview(announcementReplySchema),
      errors: ['team_not_found', 'conflict', 'preview_outdated'],
      change: (body, actor) =>
        answerAct(
          directory.announce(body, actor),
          () => moment(clock()),
          made => reply(made, new Map()),
        ),
    }),
    defineAdminRoute({
      method: 'DELETE',
      tag,
      openTo: 'organisers',
      path: '/announcements/:announcement_id',
      pathExamples: { announcement_id: 'an_1' },
      summary: 'Take an announcement back',
      description: previewText,
      query: removeAnnouncementQuerySchema,
      replies: { 200: orPreview(announcementReplySchema) },
      errors: [
        'admin_unauthorized',
        'invalid_request',
        'announcement_not_found',
        'conflict',
        'preview_outdated',
        'unavailable',
      ],
      handle: async ({ actor }: AdminCaller, { params: { announcement_id: id = '' }, query }) =>
        answer(
          await answerAct(
            directory.removeAnnouncement(id, query, actor),
            () => moment(clock()),
            async removed => reply(removed, await countReads(read)),
          ),
        ),
    }),
  ]
}

type ReadsById = ReadonlyMap<string, AnnouncementReads>
const nobody: AnnouncementReads = { teams: 0, members: 0 }

/** Announcements are in memory and are told while the database is away; then nobody knows who has read them. */
async function countReads(read: Pick<Store['read'], 'countAnnouncementReads'>): Promise<ReadsById | null> {
  const counts = await read.countAnnouncementReads(null).catch(() => null)
  return counts === null ? null : new Map(counts.map(count => [count.announcementId, count]))
}
