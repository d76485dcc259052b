// GET /coverage: for each team how much of what its agents spent the logbook covers, with the calls behind the number.
import {
  type CoverageList,
  coverageListSchema,
  organiserCoverageQuerySchema,
} from '@fairgate/contracts/calls/coverage.ts'
import { parseRange } from '../directory/parse-times.ts'
import { refuseValue, requireTeam } from '../directory/refusals.ts'
import { writeCoverage } from '../record/write-coverage.ts'
import { type AdminRoute, lookupRoute, type Management } from './management-route.ts'

export function coverageRoute({ directory, coverage }: Management): AdminRoute {
  return lookupRoute({
    tag: 'Coverage',
    openTo: 'judges',
    path: '/coverage',
    summary: "How much of what a team's agents spent the logbook covers",
    description:
      'Calls of the recorded agents are joined with the sessions of the log: by the id of the session, else by texts, of which keyed digests are kept. ' +
      'A call that is not covered is a question to the team and no proof of anything: see docs/coverage.md. `calls=true` needs `team_id`.',
    query: organiserCoverageQuerySchema,
    reply: coverageListSchema,
    errors: ['invalid_request', 'team_not_found', 'unavailable'],
    keepsOpen: true,
    look: async (query): Promise<CoverageList> => {
      const { team_id: teamId } = query
      if (teamId === undefined && query.calls === 'true')
        throw refuseValue('calls', 'name a team with team_id to see its calls.')
      const range = parseRange(query)
      const asked = teamId === undefined ? directory.teams() : [requireTeam(directory, teamId)]
      const teams: CoverageList['teams'] = []
      // One after the other, so that what is kept of the teams' calls is let go.
      for (const team of asked) teams.push(writeCoverage(await coverage.read(team.teamId, range), query))
      return { teams }
    },
  })
}
