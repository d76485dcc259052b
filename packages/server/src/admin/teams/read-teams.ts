// GET /team/list and /team/info: every team with what it has spent and its keys.
import { type TeamInfo, teamInfoSchema } from '@fairgate/contracts/info/team-record.ts'
import {
  type ListedTeam,
  teamIdQuerySchema,
  teamListSchema,
} from '@fairgate/contracts/management/team-bodies.ts'
import type { Directory } from '../../directory/create-directory.ts'
import { requireTeam } from '../../directory/require-entity.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { OwnerRecords } from '../../limits/owner-records.ts'
import { answer } from '../answer.ts'
import type { AdminCaller } from '../authenticate-admin.ts'

export type ReadTeamsDependencies = {
  readonly directory: Pick<Directory, 'teams' | 'findTeam'>
  readonly rows: Pick<OwnerRecords, 'teamInfo'>
}

const tag = 'Teams'

export function readTeamsRoutes({ directory, rows }: ReadTeamsDependencies): Route<AdminCaller>[] {
  return [
    defineRoute<AdminCaller, undefined, undefined>({
      method: 'GET',
      path: '/team/list',
      tag,
      summary: 'All teams with their keys',
      replies: { 200: teamListSchema },
      errors: ['admin_unauthorized'],
      handle: () => answer(directory.teams().map(team => flatten(rows.teamInfo(team)))),
    }),
    defineRoute<AdminCaller, undefined, typeof teamIdQuerySchema>({
      method: 'GET',
      path: '/team/info',
      tag,
      summary: 'One team with its keys',
      query: teamIdQuerySchema,
      replies: { 200: teamInfoSchema },
      errors: ['admin_unauthorized', 'invalid_request', 'team_not_found'],
      handle: (_caller, { query }) => answer(rows.teamInfo(requireTeam(directory, query.team_id))),
    }),
  ]
}

function flatten({ team_info, keys, team_memberships }: TeamInfo): ListedTeam {
  return { ...team_info, keys, team_memberships }
}
