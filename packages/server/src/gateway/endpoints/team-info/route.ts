// GET /team/info: budget, spend and limits of the caller's own team (spec 2.2, 5.3).
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { teamInfoSchema } from '@fairgate/contracts/info/team-record.ts'
import Type from 'typebox'
import { defineRoute } from '../../../http/route.ts'
import type { OwnerRecords } from '../../../limits/owner-records.ts'
import type { Caller } from '../../flow/authenticate.ts'
import type { RunFreeCall } from '../../flow/free-call.ts'

export type TeamInfoDependencies = {
  readonly freeCall: RunFreeCall
  readonly records: Pick<OwnerRecords, 'teamInfo'>
}

const query = Type.Object({ team_id: Type.String({ minLength: 1, description: 'From the key record' }) })

export function teamInfoRoute({ freeCall, records }: TeamInfoDependencies) {
  return defineRoute<Caller, undefined, typeof query>({
    method: 'GET',
    path: '/team/info',
    tag: 'Key and team',
    summary: 'The record of the own team',
    description:
      'Only the own team can be viewed. Answers also while the team is over its budget or a limit.',
    query,
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
      return freeCall(caller, call, () => records.teamInfo(caller.team))
    },
  })
}
