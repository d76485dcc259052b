// Routes for teams: POST /team/new, /team/update, /team/block and /team/unblock; GET /team/list, /v2/team/list and
// /team/info.
import {
  organiserTeamInfoQuerySchema,
  organiserTeamInfoSchema,
} from '@fairgate/contracts/console/team-detail.ts'
import { teamRecordSchema } from '@fairgate/contracts/info/team-record.ts'
import {
  type ListedTeam,
  listTeamsQuerySchema,
  newTeamBodySchema,
  pageTeamsQuerySchema,
  type TeamsPage,
  teamIdBodySchema,
  teamListSchema,
  teamsPageSchema,
  updatedTeamSchema,
  updateTeamBodySchema,
} from '@fairgate/contracts/management/team-bodies.ts'
import { requireTeam } from '../directory/refusals.ts'
import type { Team } from '../directory/types.ts'
import { readTeamDetail } from '../insight/team-detail.ts'
import { chooseListed, choosePaged } from './choose-listed.ts'
import { type AdminRoute, changeRoute, lookupRoute, type Management } from './management-route.ts'
import { describeUncharged } from './uncharged-route.ts'

const facts = { tag: 'Teams', openTo: 'organisers' } as const

const blockings = [
  { path: '/team/block', summary: 'Block all keys of a team', blocked: true },
  { path: '/team/unblock', summary: 'Unblock the keys of a team', blocked: false },
] as const

export function teamRoutes(management: Management): AdminRoute[] {
  const { directory, records, spend } = management
  const listTeams = async (teams: readonly Team[]): Promise<ListedTeam[]> =>
    (await records.teamInfos(teams)).map(({ team_info, keys, team_memberships }) => ({
      ...team_info,
      keys,
      team_memberships,
    }))
  const readRecord = async (team: Team) => (await records.teamInfo(team)).team_info
  return [
    changeRoute({
      ...facts,
      path: '/team/new',
      summary: 'Create a team',
      description: 'All keys of the team share its limits and budget. Unknown members are refused.',
      body: newTeamBodySchema,
      reply: teamRecordSchema,
      errors: ['conflict'],
      change: async (body, actor) => readRecord(await directory.createTeam(body, actor)),
    }),
    changeRoute({
      ...facts,
      path: '/team/update',
      summary: 'Change a team',
      description: 'Absent members stay unchanged; null removes a limit. The change applies at once.',
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
        ...facts,
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
      ...facts,
      openTo: 'judges',
      path: '/team/list',
      summary: 'List all teams with their keys',
      query: listTeamsQuerySchema,
      reply: teamListSchema,
      errors: ['invalid_request'],
      look: query => listTeams(chooseListed(directory, directory.teams(), query)),
    }),
    lookupRoute({
      ...facts,
      openTo: 'judges',
      path: '/v2/team/list',
      summary: 'List teams with their keys, page by page',
      description: "In LiteLLM's format; `GET /teams` shows states and figures.",
      query: pageTeamsQuerySchema,
      reply: teamsPageSchema,
      errors: ['invalid_request'],
      isStrict: true,
      look: async (query): Promise<TeamsPage> => {
        const { page = 1, page_size = 10 } = query
        const listed = query.status === 'deleted' ? directory.hiddenTeams() : directory.teams()
        const teams = choosePaged(directory, listed, query)
        return {
          teams: await listTeams(teams.slice((page - 1) * page_size, page * page_size)),
          total: teams.length,
          page,
          page_size,
          total_pages: Math.ceil(teams.length / page_size),
        }
      },
    }),
    lookupRoute({
      ...facts,
      openTo: 'judges',
      path: '/team/info',
      summary: 'Get one team with its keys',
      description:
        'With `detail=true` also state, limits in use, spend, refusals and coverage, which need the database; the rest does not.',
      query: organiserTeamInfoQuerySchema,
      reply: organiserTeamInfoSchema,
      errors: ['invalid_request', 'team_not_found', 'unavailable'],
      look: async ({ team_id, detail = false }, call) => {
        const team = requireTeam(directory, team_id)
        const uncharged = describeUncharged(directory.unchargedOf(team_id))
        if (!detail) return { ...(await records.teamInfo(team)), uncharged }
        // A team's coverage is read in slices, which may take longer than the door's timeout.
        call.keepOpen()
        const sources = { ...management, reports: spend.reports }
        const [info, details] = await Promise.all([records.teamInfo(team), readTeamDetail(sources, team)])
        return { ...info, uncharged, ...details }
      },
    }),
  ]
}
