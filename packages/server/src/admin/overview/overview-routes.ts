// GET /overview and GET /teams: event summary, and each team with state, lights, money and pace.
import { type Overview, overviewSchema } from '@fairgate/contracts/console/overview.ts'
import { teamsQuerySchema, teamsReplySchema } from '@fairgate/contracts/console/teams.ts'
import { countStates } from '../../insight/live-figures.ts'
import { pageTeams } from '../../insight/page-teams.ts'
import { type AdminRoute, lookupRoute, type Management } from '../management-route.ts'

export function overviewRoutes({ readFigures, directory }: Management): AdminRoute[] {
  const namesOf = (teamId: string) => directory.membersOfTeam(teamId).map(({ name }) => name)
  return [
    lookupRoute({
      tag: 'Overview',
      openTo: 'everyone',
      path: '/overview',
      summary: 'Event summary',
      description:
        'The same as topic `stats` of `GET /stream`. Money comes from the ledger; rates and times from the newest calls on record.',
      reply: overviewSchema,
      errors: ['unavailable'],
      look: async (): Promise<Overview> => (await readFigures()).overview,
    }),
    lookupRoute({
      tag: 'Teams',
      openTo: 'judges',
      path: '/teams',
      summary: 'List the teams with state, lights, money and pace',
      description:
        'All figures of a page are from one moment. A page starts after the last item of the previous page, but by its own figures: a ' +
        'team with a figure that changed in between may be on both pages or on neither. Pages sorted by `team_id` miss none.',
      query: teamsQuerySchema,
      reply: teamsReplySchema,
      errors: ['invalid_request', 'unavailable'],
      isStrict: true,
      look: async query => {
        const { overview, rows, rowOf } = await readFigures()
        const { as_of, version } = overview
        const hidden = () => directory.hiddenTeams().flatMap(({ teamId }) => rowOf.get(teamId) ?? [])
        const chosen = query.hidden === true ? hidden() : rows
        return {
          as_of,
          version,
          ...pageTeams(query.team_id === undefined ? chosen : [...rowOf.values()], query, namesOf),
          states: countStates(rows),
        }
      },
    }),
  ]
}
