// POST /team/new, /team/update, /team/block and /team/unblock; GET /team/list and /team/info.
import { teamInfoSchema, teamRecordSchema } from '@fairgate/contracts/info/team-record.ts'
import {
  type ListedTeam,
  newTeamBodySchema,
  teamIdBodySchema,
  teamIdQuerySchema,
  teamListSchema,
  updatedTeamSchema,
  updateTeamBodySchema,
} from '@fairgate/contracts/management/team-bodies.ts'
import type { Directory } from '../directory/create-directory.ts'
import { requireTeam } from '../directory/refusals.ts'
import type { Team } from '../directory/types.ts'
import type { Route } from '../http/route.ts'
import type { OwnerRecords } from '../limits/owner-records.ts'
import type { AdminCaller } from './authenticate-admin.ts'
import { changeRoute, lookupRoute } from './management-route.ts'

const tag = 'Teams'

const blockings = [
  { path: '/team/block', summary: 'Stop all keys of a team', blocked: true },
  { path: '/team/unblock', summary: 'Let the keys of a team work again', blocked: false },
] as const

export function teamRoutes(directory: Directory, records: OwnerRecords): Route<AdminCaller>[] {
  const listTeams = async (teams: readonly Team[]): Promise<ListedTeam[]> =>
    (await records.teamInfos(teams)).map(({ team_info, keys, team_memberships }) => ({
      ...team_info,
      keys,
      team_memberships,
    }))
  const readRecord = async (team: Team) => (await records.teamInfo(team)).team_info
  return [
    changeRoute({
      tag,
      path: '/team/new',
      summary: 'Create a team',
      description: 'Limits and budget are shared by all keys of the team. Unknown members are refused.',
      body: newTeamBodySchema,
      reply: teamRecordSchema,
      errors: ['conflict'],
      change: async (body, actor) => readRecord(await directory.createTeam(body, actor)),
    }),
    changeRoute({
      tag,
      path: '/team/update',
      summary: 'Change a team',
      description: 'Absent members stay as they are; null takes a limit away. In force at once.',
      body: updateTeamBodySchema,
      reply: updatedTeamSchema,
      errors: ['team_not_found', 'conflict'],
      change: async (body, actor) => {
        const { team_id, team_info } = await records.teamInfo(await directory.updateTeam(body, actor))
        return { team_id, data: team_info }
      },
    }),
    ...blockings.map(({ path, summary, blocked }) =>
      changeRoute({
        tag,
        path,
        summary,
        body: teamIdBodySchema,
        reply: teamRecordSchema,
        errors: ['team_not_found', 'conflict'],
        change: async ({ team_id }, actor) =>
          readRecord(await directory.setTeamBlocked(team_id, blocked, actor)),
      }),
    ),
    lookupRoute({
      tag,
      path: '/team/list',
      summary: 'All teams with their keys',
      reply: teamListSchema,
      errors: [],
      look: () => listTeams(directory.teams()),
    }),
    lookupRoute({
      tag,
      path: '/team/info',
      summary: 'One team with its keys',
      query: teamIdQuerySchema,
      reply: teamInfoSchema,
      errors: ['invalid_request', 'team_not_found'],
      look: ({ team_id }) => records.teamInfo(requireTeam(directory, team_id)),
    }),
  ]
}
