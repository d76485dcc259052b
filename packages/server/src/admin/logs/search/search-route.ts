// GET /logs/search: entries that contain some words, newest first. It searches for at most a fifth of a second, and reports how far it got.
import { searchQuerySchema, searchReplySchema } from '@fairgate/contracts/console/search.ts'
import { requireTeam } from '../../../directory/refusals.ts'
import { type AdminRoute, lookupRoute, type Management } from '../../management-route.ts'
import { openView, searchLogs } from './search-logs.ts'

export function searchLogsRoute(management: Management): AdminRoute {
  return lookupRoute({
    tag: 'Logs',
    openTo: 'judges',
    path: '/logs/search',
    summary: 'Search for entries that contain some words, newest first',
    description:
      'Searches the texts of the entries themselves, newest first by their own times (by receipt for one dated after it), for about a fifth of a second: with rare words a page may be short or empty, and ' +
      '`searched_to` says how far it got. Continue with `next` until it is null. `q` has the same meaning for all teams and database engines.',
    query: searchQuerySchema,
    reply: searchReplySchema,
    errors: ['invalid_request', 'team_not_found', 'unavailable'],
    isStrict: true,
    keepsOpen: true,
    look: async (query, { request: { signal } }) => {
      const { team_id: named } = query
      const teamId = named === undefined ? null : requireTeam(management.directory, named).teamId
      const found = await searchLogs(query, teamId, () => signal.aborted, management, openView)
      return { ...management.moment(), ...found }
    },
  })
}
