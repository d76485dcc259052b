// POST /log_token/generate and /log_token/revoke; GET /log_token/list.

import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  generatedLogTokenSchema,
  generateLogTokenBodySchema,
  type LogTokenList,
  listLogTokensQuerySchema,
  logTokenListSchema,
  logTokenSchema,
  revokeLogTokenBodySchema,
} from '@fairgate/contracts/management/log-tokens.ts'
import type { Directory } from '../directory/create-directory.ts'
import { buildLogTokenRecord } from '../directory/records.ts'
import { requireTeam } from '../directory/refusals.ts'
import type { AdminRoute } from './admin-route.ts'
import { answerAct, orPreview, previewText } from './describe-preview.ts'
import { changeRoute, lookupRoute } from './management-route.ts'

const tag = 'Log tokens'

/** `clock`: Unix ms. */
export function logTokenRoutes(directory: Directory, clock: () => number): AdminRoute[] {
  const moment = () => ({ as_of: isoTime(clock()), version: directory.version() })
  return [
    changeRoute({
      tag,
      openTo: 'organisers',
      path: '/log_token/generate',
      summary: 'Make a log token for a team',
      description: 'The reply holds the token itself, once. Only its SHA-256 is kept.',
      body: generateLogTokenBodySchema,
      reply: generatedLogTokenSchema,
      errors: ['team_not_found'],
      change: async (body, actor) => {
        const { token, secret } = await directory.generateLogToken(body, actor)
        return { token: secret, token_id: token.tokenId, team_id: token.teamId }
      },
    }),
    changeRoute({
      tag,
      openTo: 'organisers',
      path: '/log_token/revoke',
      summary: 'Stop a log token for good',
      description: previewText,
      body: revokeLogTokenBodySchema,
      reply: orPreview(logTokenSchema),
      errors: ['log_token_not_found', 'conflict', 'preview_outdated'],
      change: ({ token_id, ...act }, actor) =>
        answerAct(directory.revokeLogToken(token_id, act, actor), moment, buildLogTokenRecord),
    }),
    lookupRoute({
      tag,
      openTo: 'organisers',
      path: '/log_token/list',
      summary: 'Log tokens, revoked ones included',
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
