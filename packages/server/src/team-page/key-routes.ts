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
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { Caller } from '../gateway/flow/authenticate.ts'
import type { Call } from '../http/call.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { answerSelf } from './answer-self.ts'
import { selfErrors, selfTag as tag } from './session-routes.ts'

export type KeyRoutesDependencies = {
  readonly directory: Pick<Directory, 'makeOwnKey' | 'endOwnKey' | 'makeOwnLogToken' | 'version'>
  /** Unix ms. */
  readonly clock: () => number
}

export function keyRoutes({ directory, clock }: KeyRoutesDependencies): Route<Caller>[] {
  const head = () => ({ as_of: isoTime(clock()), version: directory.version() })
  const shared = { tag, replyHeaders: ['cache-control'] } as const
  const errors = [...selfErrors, 'conflict', 'unavailable'] as const
  return [
    defineRoute<Caller, typeof newOwnKeyBodySchema, undefined>({
      ...shared,
      method: 'POST',
      path: '/self/keys',
      summary: 'Make another key for oneself',
      description:
        `For a member with a key of their own. The new one may do what that one may, until the same time; ${mostOwnKeys} keys of a member may work at a time. ` +
        'A key with a budget or limits of its own makes no other, which would double them.',
      body: newOwnKeyBodySchema,
      maxBodyBytes: 4096,
      replies: { 201: ownKeySchema },
      errors: [...errors, 'invalid_request', 'invalid_json'],
      handle: async ({ key: by }, { body }) => {
        const { key, secret } = await directory.makeOwnKey(by, body.key_alias ?? null)
        const { keyHash: key_id, keyName: key_name, alias: key_alias } = key
        return answerSelf({ ...head(), key_id, key: secret, key_name, key_alias } satisfies OwnKey, 201)
      },
    }),
    defineRoute<Caller, typeof newOwnLogTokenBodySchema, undefined>({
      ...shared,
      method: 'POST',
      path: '/self/log_tokens',
      summary: 'Make a log token for the recorder of oneself',
      description:
        'For a member who joined with the code of the team and only wanted a key then, or has another laptop. ' +
        `${mostOwnKeys} log tokens of a member may work at a time.`,
      body: newOwnLogTokenBodySchema,
      maxBodyBytes: 4096,
      replies: { 201: ownLogTokenSchema },
      errors: [...errors, 'invalid_request', 'invalid_json'],
      handle: async ({ key: by }) => {
        const { token, secret } = await directory.makeOwnLogToken(by)
        return answerSelf(
          { ...head(), token_id: token.tokenId, log_token: secret } satisfies OwnLogToken,
          201,
        )
      },
    }),
    defineRoute<Caller, undefined, undefined>({
      ...shared,
      method: 'DELETE',
      path: '/self/keys/:key_id',
      pathExamples: { key_id: '3f1c9a…' },
      summary: 'End one of the own keys',
      description: 'Not the one that asks, and none of anybody else.',
      replies: { 200: endedKeySchema },
      errors: [...errors, 'key_not_found'],
      handle: async ({ key: by }, { params: { key_id: id = '' } }: Call) => {
        const key_id = await directory.endOwnKey(by, id)
        return answerSelf({ ...head(), key_id } satisfies EndedKey)
      },
    }),
  ]
}
