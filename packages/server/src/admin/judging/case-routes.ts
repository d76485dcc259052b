// Routes for cases: GET and POST /cases, GET /cases/:case_id and its decision.
import {
  caseListSchema,
  caseReplySchema,
  casesQuerySchema,
  decideCaseBodySchema,
  newCaseBodySchema,
} from '@fairgate/contracts/judging/cases.ts'
import { type AdminRoute, changeRoute, lookupRoute, type Management } from '../management-route.ts'

const facts = { tag: 'Cases', openTo: 'head_judges' } as const

export function caseRoutes({ judging: { cases }, moment }: Management): AdminRoute[] {
  const asOf = () => ({ as_of: moment().as_of })
  const find = async (caseId: string) => ({ ...(await cases.find(caseId)), ...asOf() })
  return [
    lookupRoute({
      ...facts,
      path: '/cases',
      summary: 'List cases: questions to teams with what came of them',
      query: casesQuerySchema,
      isStrict: true,
      reply: caseListSchema,
      errors: ['invalid_request', 'unavailable'],
      look: async ({ team_id: teamId = null, open = false }) => ({
        items: await cases.list({ teamId, onlyOpen: open }),
        ...asOf(),
      }),
    }),
    changeRoute({
      ...facts,
      path: '/cases',
      summary: 'Ask a team a question about entries or calls',
      description:
        'The team reads the question and what it cites, and answers on its page. A case accuses nobody and has no effect on scores.',
      body: newCaseBodySchema,
      reply: caseReplySchema,
      errors: ['team_not_found', 'conflict'],
      change: async (body, actor) => await find(await cases.open(body, actor)),
    }),
    lookupRoute({
      ...facts,
      path: '/cases/:case_id',
      summary: 'Get one case',
      reply: caseReplySchema,
      errors: ['case_not_found', 'unavailable'],
      look: (_query, { params: { case_id = '' } }) => find(case_id),
    }),
    changeRoute({
      ...facts,
      path: '/cases/:case_id/decide',
      summary: 'Decide a case, or the appeal against its decision',
      description:
        'Who has opened a case cannot decide it, and who has decided it cannot hear the appeal. A decision is possible after the answer, or once the time for it is over.',
      body: decideCaseBodySchema,
      reply: caseReplySchema,
      errors: ['case_not_found', 'conflict'],
      change: async (body, actor, { case_id = '' }) => {
        await cases.decide(case_id, body, actor)
        return await find(case_id)
      },
    }),
  ]
}
