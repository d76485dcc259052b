// GET /logs/entries and /logs/entry: what the teams logged, as it is stored, of all teams or one (spec 6, rule 5).
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import {
  logEntriesPageSchema,
  logEntriesQuerySchema,
  logEntryQuerySchema,
  loggedEntrySchema,
} from '@fairgate/contracts/management/log-entries.ts'
import type { Directory } from '../../directory/create-directory.ts'
import { requireTeam } from '../../directory/refusals.ts'
import type { EntriesReading } from '../../insight/entries-port.ts'
import { showEntryTo, writeEntry, writePage } from '../../insight/write-entries.ts'
import { type AdminRoute, defineAdminRoute } from '../admin-route.ts'

const tag = 'Logs'

export function readEntriesRoutes(directory: Directory, entries: EntriesReading): AdminRoute[] {
  return [
    defineAdminRoute<undefined, typeof logEntriesQuerySchema>({
      method: 'GET',
      openTo: 'judges',
      path: '/logs/entries',
      tag,
      summary: 'Entries of all teams or one, newest first, as they are stored',
      description:
        'In the order of their times, where an entry that dates itself later than its receipt counts as of then. Takes the parameters of the team’s own list, and pages in the same way: pass `next_before` of a page as `before` of the next ' +
        'and keep the other parameters. A page may be shorter than `limit` when its entries are large.',
      query: logEntriesQuerySchema,
      replies: { 200: logEntriesPageSchema },
      errors: ['admin_unauthorized', 'invalid_request', 'team_not_found', 'unavailable'],
      handle: async ({ role }, call) => {
        const { team_id, ...rest } = call.query
        const teamId = team_id === undefined ? null : requireTeam(directory, team_id).teamId
        call.keepOpen()
        const page = await entries.readPage(teamId, rest)
        call.note({ team_id: teamId, items: page.entries.length })
        const shown = page.entries.map(entry => showEntryTo(role, entry))
        return answerText(writePage(shown, page.nextBefore))
      },
    }),
    defineAdminRoute<undefined, typeof logEntryQuerySchema>({
      method: 'GET',
      openTo: 'judges',
      path: '/logs/entry',
      tag,
      summary: 'One entry, as it is stored',
      query: logEntryQuerySchema,
      replies: { 200: loggedEntrySchema },
      errors: ['admin_unauthorized', 'invalid_request', 'team_not_found', 'entry_not_found', 'unavailable'],
      handle: async ({ role }, call) => {
        const { query } = call
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

function answerText(json: string): Response {
  return new Response(json, {
    headers: { 'content-type': 'application/json;charset=utf-8', 'cache-control': 'no-store' },
  })
}
