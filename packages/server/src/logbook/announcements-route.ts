// GET /api/announcements: the team's current announcements. The recorder requests them with the team's log token, the only one it has.
import { teamAnnouncementsSchema } from '@fairgate/contracts/info/announcements.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { type Announcement, listShown } from '../directory/announcements.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { type LogTokenCaller, teamHeader } from './authenticate-log-token.ts'

export function announcementsRoute(
  announcements: () => readonly Announcement[],
  clock: () => number,
): Route<LogTokenCaller> {
  return defineRoute<LogTokenCaller, undefined, undefined>({
    method: 'GET',
    path: '/api/announcements',
    tag: 'Announcements',
    summary: "Read the organisers' announcements, newest first",
    replies: { 200: teamAnnouncementsSchema },
    replyHeaders: ['cache-control', 'x-gateway-team'],
    errors: ['unauthorized'],
    handle: ({ teamId }) => {
      const now = clock()
      const headers = { 'cache-control': 'no-store', [teamHeader]: teamId }
      return Response.json(
        { items: listShown(announcements(), teamId, now), as_of: isoTime(now) },
        { headers },
      )
    },
  })
}
