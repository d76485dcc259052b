// POST /self/keys, DELETE /self/keys/{key_id} and POST /self/log_tokens: members make and end keys of their own, and make log tokens.
import {
  type EndedKey,
  endedKeySchema,
  mostOwnKeys,
  newOwnKeyBodySchema,
  newOwnLogTokenBodySchema,
  type OwnKey,
  type OwnLogToken,
  ownKeySchema,
  ownLogTokenSchema,
} from '@fairgate/contracts/console/self.ts'
import type { Caller } from '../gateway/flow/authenticate.ts'
import type { Route } from '../http/route.ts'
import { momentOf, type SelfSources, selfRoute } from './self-route.ts'

export function keyRoutes(sources: SelfSources): Route<Caller>[] {
  const { directory } = sources
  return [
    selfRoute({
      method: 'POST',
      path: '/self/keys',
      summary: 'Make another key for oneself',
      description:
        `For a member with a key of their own. The new one may do what that one may, until the same time; ${mostOwnKeys} keys of a member may work at a time. ` +
        'A key with a budget or limits of its own makes no other, which would double them.',
      body: newOwnKeyBodySchema,
      maxBodyBytes: 4096,
      reply: ownKeySchema,
      status: 201,
      errors: ['conflict', 'invalid_request', 'invalid_json'],
      look: async ({ key: by }, { body }): Promise<OwnKey> => {
        const { key, secret } = await directory.makeOwnKey(by, body.key_alias ?? null)
        const { keyHash: key_id, keyName: key_name, alias: key_alias } = key
        return { ...momentOf(sources), key_id, key: secret, key_name, key_alias }
      },
    }),
    selfRoute({
      method: 'POST',
      path: '/self/log_tokens',
      summary: 'Make a log token for the recorder of oneself',
      description:
        'For a member who joined with the code of the team and only wanted a key then, or has another laptop. ' +
        `${mostOwnKeys} log tokens of a member may work at a time.`,
      body: newOwnLogTokenBodySchema,
      maxBodyBytes: 4096,
      reply: ownLogTokenSchema,
      status: 201,
      errors: ['conflict', 'invalid_request', 'invalid_json'],
      look: async ({ key: by }): Promise<OwnLogToken> => {
        const { token, secret } = await directory.makeOwnLogToken(by)
        return { ...momentOf(sources), token_id: token.tokenId, log_token: secret }
      },
    }),
    selfRoute({
      method: 'DELETE',
      path: '/self/keys/:key_id',
      pathExamples: { key_id: '3f1c9a…' },
      summary: 'End one of the own keys',
      description: 'Not the one that asks, and none of anybody else.',
      reply: endedKeySchema,
      errors: ['conflict', 'key_not_found'],
      look: async ({ key: by }, { params: { key_id: id = '' } }): Promise<EndedKey> => {
        const key_id = await directory.endOwnKey(by, id)
        return { ...momentOf(sources), key_id }
      },
    }),
  ]
}
