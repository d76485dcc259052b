// GET /calls and /calls/{call_id}: the record of calls over all teams, with what served each call and what proves its record.
import {
  type OrganiserCallDetail,
  type OrganiserCallItem,
  organiserCallDetailSchema,
} from '@fairgate/contracts/calls/call.ts'
import { organiserCallsPageSchema, organiserCallsQuerySchema } from '@fairgate/contracts/calls/call-list.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Role } from '@fairgate/contracts/management/access.ts'
import type { Catalog } from '../catalog/types.ts'
import { listPriceLines } from '../ledger/price.ts'
import { type AdminRoute, lookupRoute, type Management } from './management-route.ts'

const facts = { tag: 'Calls', openTo: 'judges' } as const

export function callsRoutes({ calls, catalog }: Management): AdminRoute[] {
  return [
    lookupRoute({
      ...facts,
      path: '/calls',
      summary: 'Calls of all teams or one, newest first',
      description:
        'Each call on a route that costs money, refused and failed ones too. Pages as the team’s own list does: pass `next_before` of a page as ' +
        '`before` of the next and keep the other parameters. With a filter that few calls pass, a page may be short or empty: the list ends ' +
        'where `next_before` is null.',
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
      pathExamples: { call_id: '019e2f6a-4c1b-7d3e-8f00-5a6b7c8d9e0f' },
      summary: 'One call of any team',
      description: 'By the `x-gateway-call-id` of its answer.',
      reply: organiserCallDetailSchema,
      errors: ['call_not_found', 'unavailable'],
      look: async (_query, { params: { call_id: callId = '' } }, { role }) => {
        const found = await calls.find(callId)
        if (found !== null) return explainPrice(showTo(role, found), catalog)
        throw new ApiError('call_not_found', {
          param: 'call_id',
          message: 'No such call is on record. A refused call is there after a second.',
        })
      },
    }),
  ]
}

/** Prices are not on record: those of the catalog stand for them where they lead to the very charge. */
function explainPrice(call: OrganiserCallItem, { models }: Pick<Catalog, 'models'>): OrganiserCallDetail {
  const { units, cost_nano: cost, flag, input_tokens: inputTokens } = call
  const model = models.find(({ id }) => id === call.model_served)
  const lines =
    model === undefined || flag !== null || cost === 0
      ? null
      : listPriceLines(model.price, units, inputTokens, cost)
  return { ...call, price_lines: lines?.map(line => ({ ...line })) ?? null }
}

/** Where people work from is no business of a judge. */
function showTo<Call extends { readonly client_address: string | null }>(role: Role, call: Call): Call {
  return role === 'organiser' ? call : { ...call, client_address: null }
}
