// GET and POST /claims; GET and DELETE /claims/{claim_id}; POST /claims/{claim_id}/renew.

import { isoTime } from '@fairgate/contracts/iso-time.ts'
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
import type { Directory } from '../directory/create-directory.ts'
import type { ActResult } from '../directory/planned-act.ts'
import { requireTeam } from '../directory/refusals.ts'
import type { ClaimDesk } from '../people/claim-desk.ts'
import { type AdminRoute, defineAdminRoute } from './admin-route.ts'
import type { AdminCaller } from './authenticate-admin.ts'
import { answerAct, orPreview, previewText } from './describe-preview.ts'
import { answer, changeRoute, lookupRoute } from './management-route.ts'

export type ClaimsDependencies = {
  readonly desk: Pick<ClaimDesk, 'create' | 'list' | 'find' | 'describe' | 'renew' | 'revoke'>
  readonly directory: Pick<Directory, 'findTeam' | 'version'>
  /** Unix ms. */
  readonly clock: () => number
}

const tag = 'Claims'
const defaultLimit = 100
const pathExamples = { claim_id: 'cl_1' }
const usual = ['admin_unauthorized', 'claim_not_found', 'unavailable'] as const

export function claimsRoutes({ desk, directory, clock }: ClaimsDependencies): AdminRoute[] {
  const moment = () => ({ as_of: isoTime(clock()), version: directory.version() })
  const reply = <Made extends object>(act: Promise<ActResult<Made>>) =>
    answerAct(act, moment, made => ({ ...made, ...moment() }))
  return [
    lookupRoute({
      tag,
      openTo: 'organisers',
      path: '/claims',
      summary: 'Claims, newest first, without their codes',
      query: listClaimsQuerySchema,
      reply: claimListSchema,
      errors: ['invalid_request', 'team_not_found', 'unavailable'],
      look: async ({ team_id, ended = false, limit = defaultLimit, after }) => {
        if (team_id !== undefined) requireTeam(directory, team_id)
        return {
          ...(await desk.list({ teamId: team_id ?? null, ended, limit, after: after ?? null })),
          ...moment(),
        }
      },
    }),
    changeRoute({
      tag,
      openTo: 'organisers',
      path: '/claims',
      summary: 'Make claim links for teams',
      description: `One code for each team, all or none. Members of the team take their seats with it; \`seats\` lets further people in. The reply holds the codes, once. ${previewText}`,
      body: newClaimsBodySchema,
      reply: orPreview(madeClaimsSchema),
      errors: ['team_not_found', 'conflict', 'preview_outdated'],
      change: (body, actor) => reply(desk.create(body, actor)),
    }),
    lookupRoute({
      tag,
      openTo: 'organisers',
      path: '/claims/:claim_id',
      pathExamples,
      summary: 'One claim',
      reply: claimReplySchema,
      errors: ['claim_not_found', 'unavailable'],
      look: async (_query, { params }) => ({
        ...desk.describe(await desk.find(params.claim_id ?? '')),
        ...moment(),
      }),
    }),
    defineAdminRoute({
      method: 'POST',
      tag,
      openTo: 'organisers',
      path: '/claims/:claim_id/renew',
      pathExamples,
      summary: 'Put another code in the place of this one',
      description: `The former code stops. Seats that were taken stay taken. ${previewText}`,
      body: claimIdBodySchema,
      replies: { 200: orPreview(madeClaimReplySchema) },
      errors: [...usual, 'invalid_request', 'invalid_json', 'join_ended', 'preview_outdated'],
      handle: async ({ actor }: AdminCaller, { params, body }) =>
        answer(await reply(desk.renew(params.claim_id ?? '', body, actor))),
    }),
    defineAdminRoute({
      method: 'DELETE',
      tag,
      openTo: 'organisers',
      path: '/claims/:claim_id',
      pathExamples,
      summary: 'Stop a code, and every line that was made with it',
      description: `Keys and log tokens that were made with it stay. ${previewText}`,
      query: revokeClaimQuerySchema,
      replies: { 200: orPreview(claimReplySchema) },
      errors: [...usual, 'invalid_request', 'preview_outdated'],
      handle: async ({ actor }: AdminCaller, { params, query }) =>
        answer(await reply(desk.revoke(params.claim_id ?? '', query, actor))),
    }),
  ]
}
