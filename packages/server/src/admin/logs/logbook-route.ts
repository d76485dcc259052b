// GET /logbook: the entries of all teams or one, each in a line.
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
    summary: 'What teams have logged, an entry a line, newest first',
    description:
      'Ordered by the times of the events, but by the receipt of an entry that dates itself later. One that arrives late has its place among older ones. The topic `entries` of `GET /stream` tells ' +
      'those that arrive. `GET /logs/entries` has the entries as they are stored. A page may be shorter than `limit` when its entries are large.',
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
