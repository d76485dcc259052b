// Published results for everybody, on the gateway listener: GET /results as a page, and the same as JSON, as a spreadsheet and for CTFtime.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import {
  ctftimeScoreboardSchema,
  type PublishedResults,
  publishedResultsSchema,
  resultsCsvQuerySchema,
} from '@fairgate/contracts/judging/results.ts'
import Type from 'typebox'
import type { OpenPage } from '../../http/open-pages.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { ResultsService } from './results-service.ts'
import { resultsPageHeaders, writeCsv, writeCtftime, writeResultsPage } from './write-results.ts'

const tag = 'Results'
const errors = ['results_not_published', 'unavailable'] as const
const fresh = { 'cache-control': 'no-cache' }

export function openResults(
  service: Pick<ResultsService, 'published'>,
  timeZone: () => string,
): { readonly openRoutes: Route<null>[]; readonly openPages: Readonly<Record<string, OpenPage>> } {
  const read = async (): Promise<PublishedResults> => {
    const results = await service.published()
    if (results === null) throw new ApiError('results_not_published')
    return results
  }
  return {
    openRoutes: [
      defineRoute<null, undefined, undefined>({
        method: 'GET',
        tag,
        path: '/results.json',
        summary: 'Get the published results',
        description:
          'For everybody, from the time of publication on. A correction has a number and says what it corrects.',
        replies: { 200: publishedResultsSchema },
        replyHeaders: ['cache-control'],
        errors,
        handle: async () => Response.json(await read(), { headers: fresh }),
      }),
      defineRoute<null, undefined, typeof resultsCsvQuerySchema>({
        method: 'GET',
        tag,
        path: '/results.csv',
        summary: 'Get the published results as a spreadsheet',
        query: resultsCsvQuerySchema,
        replies: {
          200: Type.String({ description: 'CSV according to RFC 4180', contentMediaType: 'text/csv' }),
        },
        replyHeaders: ['cache-control', 'content-disposition'],
        errors: [...errors, 'invalid_request'],
        handle: async (_caller, { query: { bom } }) =>
          new Response(writeCsv(await read(), bom === true), {
            headers: {
              ...fresh,
              'content-type': 'text/csv; charset=utf-8; header=present',
              'content-disposition': 'attachment; filename="results.csv"',
            },
          }),
      }),
      defineRoute<null, undefined, undefined>({
        method: 'GET',
        tag,
        path: '/results/ctftime.json',
        summary: 'Get the published results as the scoreboard that CTFtime polls',
        description: 'An adaptation: criteria stand where tasks stand, and scores are percentages.',
        replies: { 200: ctftimeScoreboardSchema },
        replyHeaders: ['cache-control'],
        errors,
        handle: async () => Response.json(writeCtftime(await read()), { headers: fresh }),
      }),
    ],
    openPages: {
      '/results': async () => {
        const results = await service.published()
        return new Response(writeResultsPage(results, timeZone()), {
          status: results === null ? 404 : 200,
          headers: { ...resultsPageHeaders, ...fresh },
        })
      },
    },
  }
}
