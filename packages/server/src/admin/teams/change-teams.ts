// POST /team/new, /team/update, /team/block and /team/unblock.
import { teamRecordSchema } from '@fairgate/contracts/info/team-record.ts'
import {
  newTeamBodySchema,
  teamIdBodySchema,
  updatedTeamSchema,
  updateTeamBodySchema,
} from '@fairgate/contracts/management/team-bodies.ts'
import type { Directory } from '../../directory/create-directory.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { OwnerRecords } from '../../limits/owner-records.ts'
import { answer } from '../answer.ts'
import type { AdminCaller } from '../authenticate-admin.ts'

export type ChangeTeamsDependencies = {
  readonly directory: Pick<Directory, 'createTeam' | 'updateTeam' | 'setTeamBlocked'>
  readonly rows: Pick<OwnerRecords, 'teamInfo'>
}

const tag = 'Teams'

export function changeTeamsRoutes(dependencies: ChangeTeamsDependencies): Route<AdminCaller>[] {
  const { directory, rows } = dependencies
  return [
    defineRoute<AdminCaller, typeof newTeamBodySchema, undefined>({
      method: 'POST',
      path: '/team/new',
      tag,
      summary: 'Create a team',
      description: 'Limits and budget are shared by all keys of the team. Unknown members are refused.',
      body: newTeamBodySchema,
      replies: { 200: teamRecordSchema },
      errors: ['admin_unauthorized', 'invalid_request', 'invalid_json', 'conflict', 'unavailable'],
      handle: async ({ actor }, { body }) =>
        answer(rows.teamInfo(await directory.createTeam(body, actor)).team_info),
    }),
    defineRoute<AdminCaller, typeof updateTeamBodySchema, undefined>({
      method: 'POST',
      path: '/team/update',
      tag,
      summary: 'Change a team',
      description: 'Absent members stay as they are; null takes a limit away. In force at once.',
      body: updateTeamBodySchema,
      replies: { 200: updatedTeamSchema },
      errors: ['admin_unauthorized', 'invalid_request', 'invalid_json', 'team_not_found', 'unavailable'],
      handle: async ({ actor }, { body }) => {
        const { team_id, team_info } = rows.teamInfo(await directory.updateTeam(body, actor))
        return answer({ team_id, data: team_info })
      },
    }),
    blockRoute(dependencies, true),
    blockRoute(dependencies, false),
  ]
}

function blockRoute({ directory, rows }: ChangeTeamsDependencies, blocked: boolean): Route<AdminCaller> {
  return defineRoute<AdminCaller, typeof teamIdBodySchema, undefined>({
    method: 'POST',
    path: blocked ? '/team/block' : '/team/unblock',
    tag,
    summary: blocked ? 'Stop all keys of a team' : 'Let the keys of a team work again',
    body: teamIdBodySchema,
    replies: { 200: teamRecordSchema },
    errors: ['admin_unauthorized', 'invalid_request', 'invalid_json', 'team_not_found', 'unavailable'],
    handle: async ({ actor }, { body }) =>
      answer(rows.teamInfo(await directory.setTeamBlocked(body.team_id, blocked, actor)).team_info),
  })
}
