// Routes for corrections: POST /team/{team_id}/grant, /calls/{call_id}/refund, /calls/{call_id}/adjust and /calls/refund_undelivered.

import {
  adjustBodySchema,
  type CorrectionReply,
  correctionReplySchema,
  grantBodySchema,
  grantReplySchema,
  refundBodySchema,
  refundUndeliveredBodySchema,
  refundUndeliveredReplySchema,
} from '@fairgate/contracts/management/corrections.ts'
import type { CorrectedCall } from '../directory/call-corrections.ts'
import { type AdminRoute, actionRoute, type Management } from './management-route.ts'

const facts = { tag: 'Corrections', openTo: 'organisers' } as const
const once = 'Sending the same `adjustment_id` again is refused with 409, so it counts once.'

export function correctionRoutes({ directory, corrections, moment }: Management): AdminRoute[] {
  const describe = (call: CorrectedCall): CorrectionReply => ({
    adjustment_id: call.adjustmentId,
    team_id: call.teamId,
    call_id: call.callId,
    amount_nano: call.amount,
    charged_nano: call.charged,
    left_nano: call.left,
    ...moment(),
  })
  return [
    actionRoute(moment, {
      ...facts,
      path: '/team/:team_id/grant',
      summary: "Raise a team's budget in its current period",
      description: `Spend stays unchanged. The grant ends with the budget period. ${once}`,
      body: grantBodySchema,
      reply: grantReplySchema,
      errors: ['team_not_found', 'conflict'],
      action: (body, actor, { team_id: teamId = '' }) => directory.grantTeam(teamId, body, actor),
      describe: ({ adjustmentId, granted }, { amount_nano }, { team_id = '' }) => ({
        adjustment_id: adjustmentId,
        team_id,
        amount_nano,
        granted_nano: granted,
        ...moment(),
      }),
    }),
    actionRoute(moment, {
      ...facts,
      path: '/calls/:call_id/refund',
      summary: 'Refund the charge of a call, or part of it',
      description: `At most what is left of the charge after earlier corrections. It counts in the periods of the call. ${once}`,
      body: refundBodySchema,
      reply: correctionReplySchema,
      errors: ['call_not_found', 'conflict'],
      action: (body, actor, { call_id: callId = '' }) => corrections.refund(callId, body, actor),
      describe,
    }),
    actionRoute(moment, {
      ...facts,
      path: '/calls/refund_undelivered',
      summary: 'Refund the charges of answers that were not delivered',
      description: `Refunds calls if all or part of the answer was withheld because the charge could not be recorded in time; \`GET /calls?undelivered=true\` lists them. Refunded calls are skipped, so repeating it changes nothing.`,
      body: refundUndeliveredBodySchema,
      reply: refundUndeliveredReplySchema,
      errors: [],
      action: (body, actor) => corrections.refundUndelivered(body, actor),
      describe: ({ bulkId, calls, amount }) => ({
        bulk_id: bulkId,
        calls,
        amount_nano: amount,
        ...moment(),
      }),
    }),
    actionRoute(moment, {
      ...facts,
      path: '/calls/:call_id/adjust',
      summary: 'Correct the cost of a call, up or down',
      description: `The cost cannot go below zero. It counts in the periods of the call. ${once}`,
      body: adjustBodySchema,
      reply: correctionReplySchema,
      errors: ['call_not_found', 'conflict'],
      action: (body, actor, { call_id: callId = '' }) => corrections.adjust(callId, body, actor),
      describe,
    }),
  ]
}
