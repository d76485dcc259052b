// GET /coverage: how much of each team's agent spend the logbook covers, with the calls behind the number.
import {
  type CoverageList,
  coverageListSchema,
  defaultTeamCoveragePage,
  organiserCoverageQuerySchema,
} from '@fairgate/contracts/calls/coverage.ts'
import { takePage } from '../directory/pages.ts'
import { parseRange } from '../directory/parse-times.ts'
import { refuseValue, requireTeam } from '../directory/refusals.ts'
import { writeCoverage, writeSummary } from '../record/write-coverage.ts'
import { type AdminRoute, lookupRoute, type Management } from './management-route.ts'

/** After this time a page ends at the next team that has to be read. One takes some 0.2 s, so most often it is the only one. */
const longestMs = 50

export function coverageRoute({ directory, coverage, recent, clock }: Management): AdminRoute {
  return lookupRoute({
    tag: 'Coverage',
    openTo: 'judges',
    path: '/coverage',
    summary: "Get how much of a team's agent spend the logbook covers",
    description:
      'Calls of the recorded agents are matched with the sessions of the log: by session id, or else by keyed digests of their texts. ' +
      'An uncovered call is a question for the team, not proof of anything: see docs/coverage.md. `calls=true` needs `team_id`. ' +
      'Without `team_id` the reply is a page of teams; pass its `next` as `after` of the next request. Teams that have not been read lately take some tenths of a second each, so a page with such teams ends early: it may have only one.',
    query: organiserCoverageQuerySchema,
    reply: coverageListSchema,
    errors: ['invalid_request', 'team_not_found', 'unavailable'],
    keepsOpen: true,
    look: async (query, { signal: client }): Promise<CoverageList> => {
      const { team_id: teamId, limit = defaultTeamCoveragePage, from, until } = query
      const range = parseRange(query)
      if (teamId !== undefined) {
        const team = requireTeam(directory, teamId)
        return { teams: [writeCoverage(await coverage.read(team.teamId, range, client), query)], next: null }
      }
      if (query.calls === 'true') throw refuseValue('calls', 'set team_id to see the calls of a team.')
      const isOfAllTime = from === undefined && until === undefined
      const { page, next } = takePage(directory.teams(), team => team.teamId, { ...query, limit })
      const teams: CoverageList['teams'] = []
      const begunAt = clock()
      // One after the other, so that each team's calls can be freed before the next.
      for (const team of page) {
        const isAtHand = isOfAllTime && recent.coverage.has(team.teamId)
        const last = teams.at(-1)
        if (last !== undefined && !isAtHand && clock() - begunAt >= longestMs)
          return { teams, next: last.team_id }
        const found = isOfAllTime
          ? await recent.coverage.read(team.teamId, client)
          : await coverage.read(team.teamId, range, client)
        teams.push(writeSummary(found))
      }
      return { teams, next }
    },
  })
}
