// GET /user/info: the owner of the calling key, in LiteLLM's format.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import {
  type OwnUserInfo,
  ownUserInfoSchema,
  ownUserQuerySchema,
} from '@fairgate/contracts/info/user-info.ts'
import { buildUser, isOwnedBy, ownerIdOf } from '../../../directory/user-info.ts'
import { defineRoute } from '../../../http/route.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { freeCallErrors } from '../../flow/call-errors.ts'
import type { EndpointParts } from '../endpoint-parts.ts'

export function userInfoRoute({ freeCall, records, keysOfTeam, findMember }: EndpointParts) {
  return defineRoute<Caller, undefined, typeof ownUserQuerySchema>({
    method: 'GET',
    path: '/user/info',
    tag: 'Key and team',
    summary: 'Get the owner of the calling key',
    description:
      "In LiteLLM's format, for its clients, with the owner's keys in your team. Works even if the team is over its budget or a limit.",
    query: ownUserQuerySchema,
    replies: { 200: ownUserInfoSchema },
    errors: ['invalid_request', ...freeCallErrors, 'member_not_found'],
    handle: (caller, call) => {
      const { key, team } = caller
      const id = ownerIdOf(key)
      const { user_id: asked = id } = call.query
      if (asked !== null && !isOwnedBy(key, asked))
        throw new ApiError('member_not_found', {
          param: 'user_id',
          message: 'You can only view the owner of the key that you call with. Omit `user_id`.',
        })
      return freeCall(caller, call, async (): Promise<OwnUserInfo> => {
        const owned = keysOfTeam(team.teamId).filter(
          other => other.keyHash === key.keyHash || (id !== null && isOwnedBy(other, id)),
        )
        const [rows, { team_info }] = await Promise.all([
          records.keyRows(owned),
          records.teamInfoInForce(team),
        ])
        return {
          user_id: id,
          user_info: buildUser(id, findMember(key.memberId ?? ''), rows),
          keys: rows.map(({ key_name, key_alias, spend, blocked, created_at, expires }) => {
            return { key_name, key_alias, spend, blocked, created_at, expires }
          }),
          teams: [team_info],
        }
      })
    },
  })
}
