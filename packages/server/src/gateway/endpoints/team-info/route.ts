// GET /team/info: budget, spend and limits of the caller's own team (spec 2.2, 5.3).
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { teamInfoSchema } from '@fairgate/contracts/info/team-record.ts'
import Type from 'typebox'
import { buildTeamInfo } from '../../../directory/team-record.ts'
import type { Key } from '../../../directory/types.ts'
import { defineRoute } from '../../../http/route.ts'
import { periodOf } from '../../../ledger/budget-period.ts'
import type { Limits } from '../../../limits/port.ts'
import type { createInfoCall } from '../../info-call.ts'
import type { Caller } from '../../stages/1-authenticate.ts'

export type TeamInfoDependencies = {
  readonly infoCall: ReturnType<typeof createInfoCall>
  readonly limits: Pick<Limits, 'spendOf'>
  readonly keysOfTeam: (teamId: string) => readonly Key[]
  readonly clock: () => number
}

const query = Type.Object({ team_id: Type.String({ minLength: 1, description: 'From the key record' }) })

export function teamInfoRoute({ infoCall, limits, keysOfTeam, clock }: TeamInfoDependencies) {
  const describe = ({ team }: Caller) => {
    const now = clock()
    const period = periodOf(team.budgetDuration, team.budgetAnchor, now)
    const spendOfKey = (key: Key) =>
      limits.spendOf(
        { kind: 'key', keyHash: key.keyHash },
        periodOf(key.budgetDuration, key.budgetAnchor, now).start,
      ).spent
    return buildTeamInfo(team, {
      ...limits.spendOf({ kind: 'team', teamId: team.teamId }, period.start),
      budgetResetAt: period.end,
      keys: keysOfTeam(team.teamId).map(key => ({ key, spend: spendOfKey(key) })),
    })
  }
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
    handle: (caller, context) => {
      if (context.query.team_id !== caller.team.teamId) throw new ApiError('other_team', { param: 'team_id' })
      return infoCall(caller, context.callId, () => describe(caller))
    },
  })
}
