// Routes for results: /judging/results with ties, verification, publication and corrections, and /judging/rejudging.
import {
  closeRejudgingBodySchema,
  correctResultsBodySchema,
  decideTieBodySchema,
  openRejudgingBodySchema,
  publishResultsBodySchema,
  rejudgingReplySchema,
  resultsReplySchema,
  verifyResultsBodySchema,
} from '@fairgate/contracts/judging/results.ts'
import { actionQueryFields } from '@fairgate/contracts/management/planned-action.ts'
import Type from 'typebox'
import {
  type AdminRoute,
  actionRoute,
  changeRoute,
  lookupRoute,
  type Management,
} from '../management-route.ts'

const facts = { tag: 'Judging', openTo: 'head_judges' } as const
const path = '/judging/results'

export function resultsRoutes({ judging: { results }, moment }: Management): AdminRoute[] {
  const asOf = () => ({ as_of: moment().as_of })
  const read = async () => ({ ...(await results.read()), ...asOf() })
  return [
    lookupRoute({
      ...facts,
      path,
      summary: 'Read the ranking with all that led to it',
      description:
        'Means and orders side by side, the steps that were needed for ties, how each judge scores, and what is missing before publication.',
      reply: resultsReplySchema,
      errors: ['conflict', 'unavailable'],
      look: read,
    }),
    changeRoute({
      ...facts,
      openTo: 'head_judge',
      path: `${path}/ties`,
      summary: 'Decide between teams that are equal after all other steps',
      body: decideTieBodySchema,
      reply: resultsReplySchema,
      errors: ['team_not_found', 'conflict'],
      change: async (body, actor) => {
        await results.decideTie(body, actor)
        return await read()
      },
    }),
    changeRoute({
      ...facts,
      path: `${path}/verify`,
      summary: 'Verify the results, as a second person',
      description:
        'If they change afterwards, they must be verified again. Who verifies cannot publish them.',
      body: verifyResultsBodySchema,
      reply: resultsReplySchema,
      errors: ['conflict'],
      change: async (body, actor) => {
        await results.verify(body, actor)
        return await read()
      },
    }),
    actionRoute(moment, {
      ...facts,
      path: `${path}/publish`,
      summary: 'Publish the results, at once or at a time',
      description:
        'What is verified at this moment is what is published, whatever happens later. At the time by the database’s clock teams see their own scores, and everybody the ranking.',
      body: publishResultsBodySchema,
      reply: resultsReplySchema,
      errors: ['conflict'],
      action: (body, actor) => results.publish(body, actor),
      describe: read,
    }),
    actionRoute(moment, {
      ...facts,
      path: `${path}/publish`,
      summary: 'Cancel a publication before its time',
      query: Type.Object(actionQueryFields),
      reply: resultsReplySchema,
      errors: ['conflict'],
      action: (query, actor) => results.cancelPublication(query, actor),
      describe: read,
    }),
    actionRoute(moment, {
      ...facts,
      path: `${path}/corrections`,
      summary: 'Correct published results',
      description:
        'The current results, verified again, replace the published ones. The correction has a number and a text that everybody can read.',
      body: correctResultsBodySchema,
      reply: resultsReplySchema,
      errors: ['conflict'],
      action: (body, actor) => results.correct(body, actor),
      describe: read,
    }),
    lookupRoute({
      ...facts,
      path: '/judging/rejudging',
      summary: 'See what the open re-judging would change',
      reply: rejudgingReplySchema,
      errors: ['conflict', 'unavailable'],
      look: async () => ({ ...(await results.readRejudging()), ...asOf() }),
    }),
    actionRoute(moment, {
      ...facts,
      path: '/judging/rejudging',
      summary: 'Let judges judge some teams again',
      description:
        'What they said before counts until the re-judging is applied. The teams are in their queues again, with the reason.',
      body: openRejudgingBodySchema,
      reply: rejudgingReplySchema,
      errors: ['team_not_found', 'judge_not_found', 'conflict'],
      action: (body, actor) => results.openRejudging(body, actor),
      describe: async () => ({ ...(await results.readRejudging()), ...asOf() }),
    }),
    actionRoute(moment, {
      ...facts,
      path: '/judging/rejudging/close',
      summary: 'Apply or discard the re-judging, as one change',
      body: closeRejudgingBodySchema,
      reply: resultsReplySchema,
      errors: ['conflict'],
      action: (body, actor) => results.closeRejudging(body, actor),
      describe: read,
    }),
  ]
}
