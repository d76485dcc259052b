// Routes on which a judge scores: /judging/queue, /judging/teams/:team/begin and /conflict, /judging/scores/:team and /judging/order.
import { queueReplySchema } from '@fairgate/contracts/judging/reading.ts'
import {
  beginJudgementBodySchema,
  finishJudgementBodySchema,
  judgementReplySchema,
  orderBodySchema,
  orderReplySchema,
  reasonBodySchema,
  saveJudgementBodySchema,
} from '@fairgate/contracts/judging/scores.ts'
import Type from 'typebox'
import { type AdminCaller, judgeOf } from '../authenticate-admin.ts'
import { type AdminRoute, changeRoute, lookupRoute, type Management } from '../management-route.ts'

const facts = { tag: 'Judging', openTo: 'panel' } as const
const writeErrors = ['team_not_found', 'scores_closed', 'conflict'] as const

export function scoreRoutes({ judging: { scoring, queue }, recent, moment }: Management): AdminRoute[] {
  const asOf = () => ({ as_of: moment().as_of })
  const writerOf = (caller: AdminCaller) => ({ judgeId: judgeOf(caller), actor: caller.actor })
  const factsOf = (teamId: string) => {
    const known = recent.coverage.sessionsOf(teamId)
    return known === null ? null : { sessions: known.sessions.length + known.leftOut, costNano: known.cost }
  }
  return [
    lookupRoute({
      ...facts,
      path: '/judging/queue',
      summary: 'List your teams in the order of reading, and what to read next',
      reply: queueReplySchema,
      errors: ['judge_not_found', 'conflict', 'unavailable'],
      look: async (_query, _call, caller) => ({ ...(await queue.read(judgeOf(caller), factsOf)), ...asOf() }),
    }),
    changeRoute({
      ...facts,
      path: '/judging/teams/:team/begin',
      summary: 'Begin a team',
      description: 'From then on no deal moves it to another judge. Beginning it again changes nothing.',
      body: beginJudgementBodySchema,
      reply: judgementReplySchema,
      errors: ['team_not_found', 'conflict'],
      change: async (_body, _actor, { team = '' }, caller) => ({
        ...(await scoring.begin(writerOf(caller), team)),
        ...asOf(),
      }),
    }),
    changeRoute({
      ...facts,
      path: '/judging/teams/:team/conflict',
      summary: 'Declare that you must not judge a team',
      description:
        'The team goes to another judge, and what you have written about it no longer counts. It stays on record.',
      body: reasonBodySchema,
      reply: Type.Object({ as_of: Type.String({ description: 'ISO 8601 in UTC' }) }),
      errors: ['team_not_found', 'conflict'],
      change: async ({ reason }, _actor, { team = '' }, caller) => {
        await scoring.declareConflict(writerOf(caller), team, reason)
        return asOf()
      },
    }),
    lookupRoute({
      ...facts,
      path: '/judging/scores/:team',
      summary: 'Read your judgement of a team, and those of the others once yours is finished',
      reply: judgementReplySchema,
      errors: ['team_not_found', 'unavailable'],
      look: async (_query, { params: { team = '' } }, caller) => ({
        ...(await scoring.read(judgeOf(caller), team)),
        ...asOf(),
      }),
    }),
    changeRoute({
      ...facts,
      method: 'PUT',
      path: '/judging/scores/:team',
      summary: 'Save your judgement of a team as a draft',
      description:
        'Send it at each pause in typing. What is absent is not decided yet. Criteria and gates that the set-up no longer has are left out.',
      body: saveJudgementBodySchema,
      reply: judgementReplySchema,
      errors: writeErrors,
      change: async (body, _actor, { team = '' }, caller) => ({
        ...(await scoring.save(writerOf(caller), team, body)),
        ...asOf(),
      }),
    }),
    changeRoute({
      ...facts,
      path: '/judging/scores/:team/done',
      summary: 'Finish your judgement of a team as it was saved',
      description: 'Every criterion has a score then, and every gate an answer.',
      body: finishJudgementBodySchema,
      reply: judgementReplySchema,
      errors: writeErrors,
      change: async (body, _actor, { team = '' }, caller) => ({
        ...(await scoring.finish(writerOf(caller), team, body)),
        ...asOf(),
      }),
    }),
    changeRoute({
      ...facts,
      path: '/judging/scores/:team/unable',
      summary: 'Say that you could not judge a team',
      body: reasonBodySchema,
      reply: judgementReplySchema,
      errors: writeErrors,
      change: async ({ reason }, _actor, { team = '' }, caller) => ({
        ...(await scoring.giveUp(writerOf(caller), team, reason)),
        ...asOf(),
      }),
    }),
    changeRoute({
      ...facts,
      path: '/judging/scores/:team/reopen',
      summary: 'Change a finished judgement again',
      description: 'It does not count until it is finished again. What was finished stays on record.',
      body: reasonBodySchema,
      reply: judgementReplySchema,
      errors: writeErrors,
      change: async ({ reason }, _actor, { team = '' }, caller) => ({
        ...(await scoring.reopen(writerOf(caller), team, reason)),
        ...asOf(),
      }),
    }),
    lookupRoute({
      ...facts,
      path: '/judging/order',
      summary: 'List your finished teams, best first',
      description: 'As you have put them in order. New ones stand where their weighted mean belongs.',
      reply: orderReplySchema,
      errors: ['unavailable'],
      look: async (_query, _call, caller) => ({ ...(await scoring.readOrder(judgeOf(caller))), ...asOf() }),
    }),
    changeRoute({
      ...facts,
      method: 'PUT',
      path: '/judging/order',
      summary: 'Put your finished teams in order',
      body: orderBodySchema,
      reply: orderReplySchema,
      errors: ['scores_closed', 'conflict'],
      change: async (body, _actor, _params, caller) => ({
        ...(await scoring.saveOrder(writerOf(caller), body)),
        ...asOf(),
      }),
    }),
  ]
}
