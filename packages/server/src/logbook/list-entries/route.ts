// GET /api/ingest/entries: a team reads its own entries, newest first; a locked board makes no difference (spec 4.2).
import { entriesPageSchema, entriesQuerySchema } from '@fairgate/contracts/logbook/entries-page.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { EntriesRead, ReadEntriesPageInput } from '../../store/statements/list-entries.ts'
import { type LogTokenCaller, teamHeader } from '../authenticate-log-token.ts'
import { readPage } from './read-page.ts'

export type ListEntriesDependencies = {
  readonly readEntriesPage: (input: ReadEntriesPageInput) => Promise<EntriesRead>
}

export function listEntriesRoute(dependencies: ListEntriesDependencies): Route<LogTokenCaller> {
  return defineRoute<LogTokenCaller, undefined, typeof entriesQuerySchema>({
    method: 'GET',
    path: '/api/ingest/entries',
    tag: 'Entries',
    summary: "Read the team's entries, newest first",
    description:
      'Pass `next_before` of a page as `before` of the next and keep the other parameters: each entry comes exactly once, ' +
      'also when many have the same time. A page may be shorter than `limit` when its entries are large. ' +
      'The header `x-gateway-team` of the reply names the team that the log token belongs to.',
    query: entriesQuerySchema,
    replies: { 200: entriesPageSchema },
    replyHeaders: ['cache-control', 'x-gateway-team'],
    errors: ['unauthorized', 'invalid_request', 'unavailable'],
    handle: async (caller, context) => {
      context.keepOpen()
      const page = await readPage(dependencies.readEntriesPage, caller.teamId, context.query)
      context.note({ team_id: caller.teamId, items: page.items.length })
      const headers = { 'cache-control': 'no-store', [teamHeader]: caller.teamId }
      return Response.json(page, { headers })
    },
  })
}
