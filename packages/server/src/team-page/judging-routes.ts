// GET /self/results and /self/cases: what judging says to a team, and what the team answers.

import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import {
  caseTextBodySchema,
  ownCaseListSchema,
  ownCaseReplySchema,
} from '@fairgate/contracts/judging/cases.ts'
import { type OwnResults, ownResultsSchema } from '@fairgate/contracts/judging/results.ts'
import type { Caller } from '../gateway/flow/authenticate.ts'
import type { Route } from '../http/route.ts'
import { momentOf, type SelfSources, selfRoute } from './self-route.ts'

/** Who writes for the team, as the audit names it. */
function actorOf({ key }: Caller): string {
  const { memberId, keyName } = key
  return typeof memberId === 'string' ? `member ${memberId}` : `key ${keyName}`
}

export function judgingRoutes(sources: SelfSources): Route<Caller>[] {
  const { results, cases } = sources.judging
  const asOf = () => ({ as_of: momentOf(sources).as_of })
  const find = async (teamId: string, caseId: string) => {
    const found = (await cases.listOwn(teamId)).find(({ case_id }) => case_id === caseId)
    if (found === undefined) throw new ApiError('case_not_found', { param: 'case_id' })
    return { ...found, ...asOf() }
  }
  const sayRoute = (step: 'answer' | 'appeal', summary: string) =>
    selfRoute({
      method: 'POST',
      path: `/self/cases/:case_id/${step}`,
      summary,
      body: caseTextBodySchema,
      reply: ownCaseReplySchema,
      errors: ['invalid_request', 'invalid_json', 'case_not_found', 'conflict'],
      look: async (caller, { body, params: { case_id = '' } }) => {
        const { teamId } = caller.team
        await cases[step](teamId, case_id, body.text, actorOf(caller))
        return await find(teamId, case_id)
      },
    })
  return [
    selfRoute({
      path: '/self/results',
      summary: "Get your team's scores and comments, once the results are published",
      description: 'Before that time, `published_at` is null and there is nothing else.',
      reply: ownResultsSchema,
      look: async ({ team }): Promise<OwnResults> => ({
        ...(await results.readOwn(team.teamId)),
        ...asOf(),
      }),
    }),
    selfRoute({
      path: '/self/cases',
      summary: 'List the questions that the organisers ask your team about its work',
      description: 'With the entries and calls that they are about, and what was decided.',
      reply: ownCaseListSchema,
      look: async ({ team }) => ({ items: await cases.listOwn(team.teamId), ...asOf() }),
    }),
    sayRoute('answer', 'Answer a question'),
    sayRoute('appeal', 'Appeal against a decision, once'),
  ]
}
