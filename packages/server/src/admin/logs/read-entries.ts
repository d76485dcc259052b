// GET /logs/entries and /logs/entry: log entries as stored, of all teams or one (spec 6, rule 5).
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import {
  logEntriesPageSchema,
  logEntriesQuerySchema,
  logEntryQuerySchema,
  loggedEntrySchema,
} from '@fairgate/contracts/management/log-entries.ts'
import { requireTeam } from '../../directory/refusals.ts'
import { showEntryTo, writeEntry, writePage } from '../../insight/write-entries.ts'
import { type AdminRoute, answerText, lookupRoute, type Management } from '../management-route.ts'

const facts = { tag: 'Logs', openTo: 'judges' } as const

export function readEntriesRoutes({ directory, entries }: Management): AdminRoute[] {
  return [
    lookupRoute({
      ...facts,
      path: '/logs/entries',
      summary: 'List entries as stored, of all teams or one, newest first',
      description:
        'In order of time; an entry dated after its receipt counts as of its receipt. Accepts the parameters of the team’s own list, and pages in the same way: pass `next_before` of a page as `before` of the next ' +
        'and keep the other parameters. A page may be shorter than `limit` if its entries are large.',
      query: logEntriesQuerySchema,
      reply: logEntriesPageSchema,
      errors: ['invalid_request', 'team_not_found', 'unavailable'],
      keepsOpen: true,
      look: async ({ team_id, ...rest }, call, { role }) => {
        const teamId = team_id === undefined ? null : requireTeam(directory, team_id).teamId
        const page = await entries.readPage(teamId, rest)
        call.note({ team_id: teamId, items: page.entries.length })
        const shown = page.entries.map(entry => showEntryTo(role, entry))
        return answerText(writePage(shown, page.nextBefore))
      },
    }),
    lookupRoute({
      ...facts,
      path: '/logs/entry',
      summary: 'Get one entry as stored',
      query: logEntryQuerySchema,
      reply: loggedEntrySchema,
      errors: ['invalid_request', 'team_not_found', 'entry_not_found', 'unavailable'],
      look: async (query, call, { role }) => {
        const { teamId } = requireTeam(directory, query.team_id)
        const entry = await entries.findEntry(teamId, query.entry)
        if (entry === null)
          throw new ApiError('entry_not_found', {
            param: 'entry',
            message: `Team ${teamId} has no entry ${query.entry}.`,
          })
        call.note({ team_id: teamId })
        return answerText(writeEntry(showEntryTo(role, entry)))
      },
    }),
  ]
}
