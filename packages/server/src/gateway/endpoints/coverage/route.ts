// GET /coverage: a team sees what organisers see of it, while there is time to do something about it.
import { coverageQuerySchema, teamCoverageSchema } from '@fairgate/contracts/calls/coverage.ts'
import { parseRange } from '../../../directory/parse-range.ts'
import { defineRoute } from '../../../http/route.ts'
import type { CoverageReader } from '../../../record/coverage-reader.ts'
import { writeCoverage } from '../../../record/write-coverage.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { freeCallErrors } from '../../flow/call-errors.ts'
import type { RunFreeCall } from '../../flow/free-call.ts'

export type CoverageDependencies = {
  readonly freeCall: RunFreeCall
  readonly coverage: Pick<CoverageReader, 'read'>
}

export function coverageRoute({ freeCall, coverage }: CoverageDependencies) {
  return defineRoute<Caller, undefined, typeof coverageQuerySchema>({
    method: 'GET',
    path: '/coverage',
    tag: 'Key and team',
    summary: 'How much of what the agents of the own team spent the logbook covers',
    description:
      'Free. Calls of the recorded agents are joined with the sessions of the log: by the id of the session, else by texts. Organisers see the same. ' +
      '`sessions_without_entries` names what is missing: push, so that the recorder sends its entries, and look again ten minutes later. ' +
      'Answers also while the team is over its budget or a limit.',
    query: coverageQuerySchema,
    replies: { 200: teamCoverageSchema },
    errors: ['invalid_request', ...freeCallErrors, 'unavailable'],
    handle: (caller, call) => {
      const range = parseRange(call.query)
      call.keepOpen()
      return freeCall(caller, call, async () =>
        writeCoverage(await coverage.read(caller.team.teamId, range), call.query),
      )
    },
  })
}
