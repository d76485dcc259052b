// GET /overview and GET /teams: the whole event in some figures, and each team with state, lights, money and pace.
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
      summary: 'The whole event in some figures',
      description:
        'The same as topic `stats` of `GET /stream`. Money is that of the ledger; rates and times are taken from the newest calls on record.',
      reply: overviewSchema,
      errors: ['unavailable'],
      look: async (): Promise<Overview> => (await readFigures()).overview,
    }),
    lookupRoute({
      tag: 'Teams',
      openTo: 'judges',
      path: '/teams',
      summary: 'Each team with state, lights, money and pace',
      description:
        'Figures of one moment. A page begins behind the place of the last item of the page before, by the figures of its own moment: a ' +
        'team whose figure has changed meanwhile may be on both pages or on none. Sorted by `team_id` none is missed.',
      query: teamsQuerySchema,
      reply: teamsReplySchema,
      errors: ['invalid_request', 'unavailable'],
      isStrict: true,
      look: async query => {
        const { overview, rows, rowOf } = await readFigures()
        const { as_of, version } = overview
        return {
          as_of,
          version,
          ...pageTeams(query.team_id === undefined ? rows : [...rowOf.values()], query, namesOf),
          states: countStates(rows),
        }
      },
    }),
  ]
}
