// GET /calls and /calls/{call_id}: the call record of all teams, with the model that served each call and the proof of its record.
import {
  type OrganiserCallDetail,
  type OrganiserCallItem,
  organiserCallDetailSchema,
} from '@fairgate/contracts/calls/call.ts'
import { organiserCallsPageSchema, organiserCallsQuerySchema } from '@fairgate/contracts/calls/call-list.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CallerRole } from '@fairgate/contracts/management/roles.ts'
import type { Catalog } from '../catalog/types.ts'
import { listPriceLines } from '../ledger/price.ts'
import { type AdminRoute, lookupRoute, type Management } from './management-route.ts'

const facts = { tag: 'Calls', openTo: 'judges' } as const

export function callsRoutes({ calls, catalog }: Management): AdminRoute[] {
  return [
    lookupRoute({
      ...facts,
      path: '/calls',
      summary: 'List calls of all teams or one, newest first',
      description:
        'All calls on paid routes, including refused and failed ones. Pages work like the team’s own list: pass `next_before` of a page as ' +
        '`before` of the next and keep the other parameters. If few calls match a filter, a page may be short or empty: the list ends ' +
        'when `next_before` is null.',
      query: organiserCallsQuerySchema,
      reply: organiserCallsPageSchema,
      errors: ['invalid_request', 'team_not_found', 'key_not_found', 'unavailable'],
      isStrict: true,
      look: async (query, _call, { role }) => {
        const page = await calls.readAll(query)
        return { ...page, items: page.items.map(call => showTo(role, call)) }
      },
    }),
    lookupRoute({
      ...facts,
      path: '/calls/:call_id',
      summary: 'Get one call of any team',
      description: 'Named by the `x-gateway-call-id` of its reply.',
      reply: organiserCallDetailSchema,
      errors: ['call_not_found', 'unavailable'],
      look: async (_query, { params: { call_id: callId = '' } }, { role }) => {
        const found = await calls.find(callId)
        if (found !== null) return explainPrice(showTo(role, found), catalog)
        throw new ApiError('call_not_found', {
          param: 'call_id',
          message: 'No call with this id is on record. Refused calls appear after a second.',
        })
      },
    }),
  ]
}

/** Adds price lines from the catalog, if its prices give exactly the recorded charge. The record itself has no prices. */
function explainPrice(call: OrganiserCallItem, { models }: Pick<Catalog, 'models'>): OrganiserCallDetail {
  const { units, cost_nano: cost, flag, input_tokens: inputTokens } = call
  const model = models.find(({ id }) => id === call.model_served)
  const lines =
    model === undefined || flag !== null || cost === 0
      ? null
      : listPriceLines(model.price, units, inputTokens, cost)
  return { ...call, price_lines: lines?.map(line => ({ ...line })) ?? null }
}

/** Hides client addresses from all but organisers. */
function showTo<Call extends { readonly client_address: string | null }>(role: CallerRole, call: Call): Call {
  return role === 'organiser' ? call : { ...call, client_address: null }
}
