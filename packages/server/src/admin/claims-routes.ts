// Routes for claim codes: GET and POST /claims; GET and DELETE /claims/{claim_id}; POST /claims/{claim_id}/renew.

import {
  claimIdBodySchema,
  claimListSchema,
  claimReplySchema,
  listClaimsQuerySchema,
  madeClaimReplySchema,
  madeClaimsSchema,
  newClaimsBodySchema,
  revokeClaimQuerySchema,
} from '@fairgate/contracts/management/claims.ts'
import { requireTeam } from '../directory/refusals.ts'
import { type AdminRoute, actionRoute, lookupRoute, type Management } from './management-route.ts'

const facts = { tag: 'Claims', openTo: 'organisers' } as const
const defaultLimit = 100

export function claimsRoutes({ claims: service, directory, moment, stamp }: Management): AdminRoute[] {
  return [
    lookupRoute({
      ...facts,
      path: '/claims',
      summary: 'List claims without their codes, newest first',
      query: listClaimsQuerySchema,
      reply: claimListSchema,
      errors: ['invalid_request', 'team_not_found', 'unavailable'],
      look: async ({ team_id, ended = false, limit = defaultLimit, after }) => {
        if (team_id !== undefined) requireTeam(directory, team_id)
        return stamp(await service.list({ teamId: team_id ?? null, ended, limit, after: after ?? null }))
      },
    }),
    actionRoute(moment, {
      ...facts,
      path: '/claims',
      summary: 'Create claim links for teams',
      description:
        'Creates one code per team, all or none. Members of the team take their seats with it; `seats` admits more people. The reply shows the codes, only this once.',
      body: newClaimsBodySchema,
      reply: madeClaimsSchema,
      errors: ['team_not_found', 'conflict'],
      action: (body, actor) => service.create(body, actor),
      describe: stamp,
    }),
    lookupRoute({
      ...facts,
      path: '/claims/:claim_id',
      summary: 'Get one claim',
      reply: claimReplySchema,
      errors: ['claim_not_found', 'unavailable'],
      look: async (_query, { params }) => stamp(service.describe(await service.find(params.claim_id ?? ''))),
    }),
    actionRoute(moment, {
      ...facts,
      path: '/claims/:claim_id/renew',
      summary: 'Replace a claim code',
      description: 'The old code stops working. Taken seats stay taken.',
      body: claimIdBodySchema,
      reply: madeClaimReplySchema,
      errors: ['claim_not_found', 'join_ended'],
      action: (body, actor, { claim_id: id = '' }) => service.renew(id, body, actor),
      describe: stamp,
    }),
    actionRoute(moment, {
      ...facts,
      path: '/claims/:claim_id',
      summary: 'Revoke a code and every line made with it',
      description: 'Keys and log tokens made with it stay.',
      query: revokeClaimQuerySchema,
      reply: claimReplySchema,
      errors: ['claim_not_found'],
      action: (query, actor, { claim_id: id = '' }) => service.revoke(id, query, actor),
      describe: stamp,
    }),
  ]
}
