// GET /key/info and /team/info: the records of the calling key and of its team (spec 2.1, 2.2, 4.1, 5.3).
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { keyInfoSchema } from '@fairgate/contracts/info/key-record.ts'
import { teamInfoSchema } from '@fairgate/contracts/info/team-record.ts'
import Type from 'typebox'
import { type Announcement, listShown } from '../../../directory/announcements.ts'
import { toKeyHash } from '../../../directory/create-secret.ts'
import { isHashOf } from '../../../directory/key-secrets.ts'
import type { Key } from '../../../directory/types.ts'
import { defineRoute } from '../../../http/route.ts'
import type { OwnerRecords } from '../../../limits/owner-records.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { freeCallErrors } from '../../flow/call-errors.ts'
import type { RunFreeCall } from '../../flow/free-call.ts'

export type InfoDependencies = {
  readonly freeCall: RunFreeCall
  readonly records: Pick<OwnerRecords, 'keyInfo' | 'teamInfoInForce'>
  readonly announcements: () => readonly Announcement[]
  /** Unix ms. */
  readonly clock: () => number
}

const keyQuery = Type.Object({
  key: Type.Optional(
    Type.String({
      maxLength: 512,
      description: 'The calling key or its SHA-256 in hex; no other key can be viewed',
    }),
  ),
})

const teamQuery = Type.Object({ team_id: Type.String({ minLength: 1, description: 'From the key record' }) })

export function infoRoutes({ freeCall, records, announcements, clock }: InfoDependencies) {
  const key = defineRoute<Caller, undefined, typeof keyQuery>({
    method: 'GET',
    path: '/key/info',
    tag: 'Key and team',
    summary: 'The record of the calling key',
    description:
      'Only the calling key can be viewed, with or without naming it. Answers also while the team is over its budget or a limit.',
    query: keyQuery,
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
  const team = defineRoute<Caller, undefined, typeof teamQuery>({
    method: 'GET',
    path: '/team/info',
    tag: 'Key and team',
    summary: 'The record of the own team',
    description:
      'Only the own team can be viewed. Answers also while the team is over its budget or a limit.',
    query: teamQuery,
    replies: { 200: teamInfoSchema },
    errors: [
      'invalid_request',
      'invalid_api_key',
      'key_blocked',
      'key_expired',
      'team_blocked',
      'other_team',
      'route_not_allowed',
      'parallel_exceeded',
    ],
    handle: (caller, call) => {
      if (call.query.team_id !== caller.team.teamId) throw new ApiError('other_team', { param: 'team_id' })
      return freeCall(caller, call, async () => {
        const shown = listShown(announcements(), caller.team.teamId, clock())
        const info = await records.teamInfoInForce(caller.team)
        return shown.length === 0 ? info : { ...info, announcements: shown }
      })
    },
  })
  return [key, team]
}

/** `reference`: as the caller names the key, by itself or by its hash; undefined for none. */
function isOwn(key: Pick<Key, 'keyHash' | 'rotation'>, reference: string | undefined): boolean {
  return reference === undefined || isHashOf(key, toKeyHash(reference))
}
