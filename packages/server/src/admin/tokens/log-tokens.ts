// POST /log_token/generate and /log_token/revoke, GET /log_token/list.
import {
  generatedLogTokenSchema,
  generateLogTokenBodySchema,
  listLogTokensQuerySchema,
  logTokenListSchema,
  logTokenSchema,
  revokeLogTokenBodySchema,
} from '@fairgate/contracts/management/log-tokens.ts'
import type { Directory } from '../../directory/create-directory.ts'
import { buildLogTokenRecord } from '../../directory/log-token-record.ts'
import { requireTeam } from '../../directory/require-entity.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { answer } from '../answer.ts'
import type { AdminCaller } from '../authenticate-admin.ts'

export type LogTokensDependencies = {
  readonly directory: Pick<Directory, 'generateLogToken' | 'revokeLogToken' | 'logTokens' | 'findTeam'>
}

const tag = 'Log tokens'

export function logTokensRoutes({ directory }: LogTokensDependencies): Route<AdminCaller>[] {
  return [
    defineRoute<AdminCaller, typeof generateLogTokenBodySchema, undefined>({
      method: 'POST',
      path: '/log_token/generate',
      tag,
      summary: 'Make a log token for a team',
      description: 'The reply holds the token itself, once. Only its SHA-256 is kept.',
      body: generateLogTokenBodySchema,
      replies: { 200: generatedLogTokenSchema },
      errors: ['admin_unauthorized', 'invalid_request', 'invalid_json', 'team_not_found', 'unavailable'],
      handle: async ({ actor }, { body }) => {
        const { token, secret } = await directory.generateLogToken(body, actor)
        return answer({ token: secret, token_id: token.tokenId, team_id: token.teamId })
      },
    }),
    defineRoute<AdminCaller, typeof revokeLogTokenBodySchema, undefined>({
      method: 'POST',
      path: '/log_token/revoke',
      tag,
      summary: 'Stop a log token for good',
      body: revokeLogTokenBodySchema,
      replies: { 200: logTokenSchema },
      errors: ['admin_unauthorized', 'invalid_request', 'invalid_json', 'log_token_not_found', 'unavailable'],
      handle: async ({ actor }, { body }) =>
        answer(buildLogTokenRecord(await directory.revokeLogToken(body.token_id, actor))),
    }),
    defineRoute<AdminCaller, undefined, typeof listLogTokensQuerySchema>({
      method: 'GET',
      path: '/log_token/list',
      tag,
      summary: 'Log tokens, revoked ones included',
      query: listLogTokensQuerySchema,
      replies: { 200: logTokenListSchema },
      errors: ['admin_unauthorized', 'invalid_request', 'team_not_found'],
      handle: (_caller, { query: { team_id } }) => {
        if (team_id !== undefined) requireTeam(directory, team_id)
        const tokens = directory
          .logTokens()
          .filter(token => team_id === undefined || token.teamId === team_id)
        return answer({ log_tokens: tokens.map(buildLogTokenRecord) })
      },
    }),
  ]
}
