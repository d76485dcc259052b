// GET /logbook: entries of all teams or one, each summarized in a line.
import {
  type LogbookPage,
  logbookPageSchema,
  logbookQuerySchema,
} from '@fairgate/contracts/console/logbook.ts'
import { requireTeam } from '../../directory/refusals.ts'
import { writeLine } from '../../insight/describe-entry.ts'
import { type AdminRoute, lookupRoute, type Management } from '../management-route.ts'

export function logbookRoute({ entries, directory, moment }: Management): AdminRoute {
  return lookupRoute({
    tag: 'Overview',
    openTo: 'judges',
    path: '/logbook',
    summary: 'List log entries, one line each, newest first',
    description:
      'Ordered by event time, but by receipt for an entry dated after it. An entry that arrives late is placed among older ones. The topic `entries` of `GET /stream` reports ' +
      'new arrivals. `GET /logs/entries` has the entries as stored. A page may be shorter than `limit` if its entries are large.',
    query: logbookQuerySchema,
    reply: logbookPageSchema,
    errors: ['invalid_request', 'team_not_found', 'unavailable'],
    keepsOpen: true,
    look: async ({ team_id, ...rest }): Promise<LogbookPage> => {
      const teamId = team_id === undefined ? null : requireTeam(directory, team_id).teamId
      const page = await entries.readPage(teamId, rest)
      return { ...moment(), items: page.entries.map(writeLine), next_before: page.nextBefore }
    },
  })
}
