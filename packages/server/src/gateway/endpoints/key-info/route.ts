// GET /key/info: the key record of the calling key (spec 2.1, 4.1).
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { keyInfoSchema } from '@fairgate/contracts/info/key-record.ts'
import Type from 'typebox'
import { toKeyHash } from '../../../directory/create-secret.ts'
import type { Key } from '../../../directory/types.ts'
import { defineRoute } from '../../../http/route.ts'
import type { OwnerRecords } from '../../../limits/owner-records.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { freeCallErrors } from '../../flow/call-errors.ts'
import type { RunFreeCall } from '../../flow/free-call.ts'

export type KeyInfoDependencies = {
  readonly freeCall: RunFreeCall
  readonly records: Pick<OwnerRecords, 'keyInfo'>
}

const query = Type.Object({
  key: Type.Optional(
    Type.String({
      maxLength: 512,
      description: 'The calling key or its SHA-256 in hex; no other key can be viewed',
    }),
  ),
})

export function keyInfoRoute({ freeCall, records }: KeyInfoDependencies) {
  return defineRoute<Caller, undefined, typeof query>({
    method: 'GET',
    path: '/key/info',
    tag: 'Key and team',
    summary: 'The record of the calling key',
    description:
      'Only the calling key can be viewed, with or without naming it. Answers also while the team is over its budget or a limit.',
    query,
    replies: { 200: keyInfoSchema },
    errors: ['invalid_request', ...freeCallErrors, 'key_not_found'],
    handle: (caller, call) => {
      if (!isOwn(caller.key, call.query.key)) {
        throw new ApiError('key_not_found', {
          param: 'key',
          message: 'Only the calling key can be viewed: send that key as the credential, or leave `key` out.',
        })
      }
      return freeCall(caller, call, () => records.keyInfo(caller.key))
    },
  })
}

/** `reference`: as the caller names the key, by itself or by its hash; undefined for none. */
function isOwn({ keyHash }: Pick<Key, 'keyHash'>, reference: string | undefined): boolean {
  return reference === undefined || toKeyHash(reference) === keyHash
}
