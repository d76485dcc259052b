// Routes for log tokens: POST /log_token/generate and /log_token/revoke; GET /log_token/list.

import {
  generatedLogTokenSchema,
  generateLogTokenBodySchema,
  type LogTokenList,
  listLogTokensQuerySchema,
  logTokenListSchema,
  logTokenSchema,
  revokeLogTokenBodySchema,
} from '@fairgate/contracts/management/log-tokens.ts'
import { buildLogTokenRecord } from '../directory/records.ts'
import { requireTeam } from '../directory/refusals.ts'
import {
  type AdminRoute,
  actionRoute,
  changeRoute,
  lookupRoute,
  type Management,
} from './management-route.ts'

const facts = { tag: 'Log tokens', openTo: 'organisers' } as const

export function logTokenRoutes({ directory, moment }: Management): AdminRoute[] {
  return [
    changeRoute({
      ...facts,
      path: '/log_token/generate',
      summary: 'Create a log token for a team',
      description: 'The reply shows the token itself, only this once. Only its SHA-256 is stored.',
      body: generateLogTokenBodySchema,
      reply: generatedLogTokenSchema,
      errors: ['team_not_found'],
      change: async (body, actor) => {
        const { token, secret } = await directory.generateLogToken(body, actor)
        return { token: secret, token_id: token.tokenId, team_id: token.teamId }
      },
    }),
    actionRoute(moment, {
      ...facts,
      path: '/log_token/revoke',
      summary: 'Revoke a log token permanently',
      body: revokeLogTokenBodySchema,
      reply: logTokenSchema,
      errors: ['log_token_not_found', 'conflict'],
      action: ({ token_id, ...request }, actor) => directory.revokeLogToken(token_id, request, actor),
      describe: buildLogTokenRecord,
    }),
    lookupRoute({
      ...facts,
      path: '/log_token/list',
      summary: 'List log tokens, including revoked ones',
      query: listLogTokensQuerySchema,
      reply: logTokenListSchema,
      errors: ['invalid_request', 'team_not_found'],
      look: ({ team_id }): LogTokenList => {
        if (team_id !== undefined) requireTeam(directory, team_id)
        const tokens = directory
          .logTokens()
          .filter(token => team_id === undefined || token.teamId === team_id)
        return { log_tokens: tokens.map(buildLogTokenRecord) }
      },
    }),
  ]
}
