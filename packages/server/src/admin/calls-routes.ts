// GET /calls and /calls/{call_id}: the record of calls over all teams, with what served each call and what proves its record.
import { organiserCallSchema } from '@fairgate/contracts/calls/call.ts'
import { organiserCallsPageSchema, organiserCallsQuerySchema } from '@fairgate/contracts/calls/call-list.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CallsReader } from '../calls/calls-reader.ts'
import { refuseUnknownParameters } from '../calls/read-filter.ts'
import type { Route } from '../http/route.ts'
import type { AdminCaller } from './authenticate-admin.ts'
import { lookupRoute } from './management-route.ts'

const tag = 'Calls'

export function callsRoutes(calls: Pick<CallsReader, 'readAll' | 'find'>): Route<AdminCaller>[] {
  return [
    lookupRoute({
      tag,
      path: '/calls',
      summary: 'Calls of all teams or one, newest first',
      description:
        'Each call on a route that costs money, refused and failed ones too. Pages as the team’s own list does: pass `next_before` of a page as ' +
        '`before` of the next and keep the other parameters. With a filter that few calls pass, a page may be short or empty: the list ends ' +
        'where `next_before` is null.',
      query: organiserCallsQuerySchema,
      reply: organiserCallsPageSchema,
      errors: ['invalid_request', 'team_not_found', 'key_not_found', 'unavailable'],
      look: (query, { request }) => {
        refuseUnknownParameters(organiserCallsQuerySchema, new URL(request.url).searchParams)
        return calls.readAll(query)
      },
    }),
    lookupRoute({
      tag,
      path: '/calls/:call_id',
      pathExamples: { call_id: '019e2f6a-4c1b-7d3e-8f00-5a6b7c8d9e0f' },
      summary: 'One call of any team',
      description: 'By the `x-gateway-call-id` of its answer.',
      reply: organiserCallSchema,
      errors: ['call_not_found', 'unavailable'],
      look: async (_query, { params: { call_id: callId = '' } }) => {
        const found = await calls.find(callId)
        if (found !== null) return found
        throw new ApiError('call_not_found', {
          param: 'call_id',
          message: 'No such call is on record. A refused call is there after a second.',
        })
      },
    }),
  ]
}
