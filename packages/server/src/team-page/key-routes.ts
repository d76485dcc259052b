// POST /self/keys, DELETE /self/keys/{key_id} and POST /self/log_tokens: members create and end their own keys, and create log tokens.
import {
  type EndedKey,
  endedKeySchema,
  maxOwnKeys,
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
      summary: 'Create another key for yourself',
      description:
        `For members who have their own key. The new key has the same rights and expiry; a member can have ${maxOwnKeys} working keys at a time. ` +
        'A key with its own budget or limits cannot create another, which would double them.',
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
      summary: 'Create a log token for your recorder',
      description:
        "For members who joined with the team's code and only took a key, or who have another laptop. " +
        `A member can have ${maxOwnKeys} working log tokens at a time.`,
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
      summary: 'End one of your keys',
      description: 'It must be your own and not the calling key.',
      reply: endedKeySchema,
      errors: ['conflict', 'key_not_found'],
      look: async ({ key: by }, { params: { key_id: id = '' } }): Promise<EndedKey> => {
        const key_id = await directory.endOwnKey(by, id)
        return { ...momentOf(sources), key_id }
      },
    }),
  ]
}
