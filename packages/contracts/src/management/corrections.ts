// The bodies and replies of grants on top of budgets, refunds of calls and other corrections of what was spent. Money in nano-dollars.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { plainText, strict } from './owner-fields.ts'
import { actFields } from './planned-act.ts'

const reason = plainText({ minLength: 1, description: 'Why; stands in the ledger and in the audit' })
const { dry_run, preview_id } = actFields
const adjustmentId = orNull(
  Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$',
    description:
      'Chosen by whoever asks, so that a repeated request is made once; made by the server when absent',
  }),
)
const written = { reason, adjustment_id: adjustmentId, dry_run, preview_id }
const more = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description })
const moreOrLess = (description: string) =>
  Type.Integer({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, description })

export const grantBodySchema = Type.Object(
  {
    amount_nano: moreOrLess(
      'On top of the budget in its present period; a negative one takes back of a grant',
    ),
    ...written,
  },
  strict,
)
export const refundBodySchema = Type.Object(
  {
    amount_nano: orNull(more('What is given back; absent: all that is left of the charge')),
    ...written,
  },
  strict,
)
export const adjustBodySchema = Type.Object(
  { amount_nano: moreOrLess('More, or (negative) less that was spent'), ...written },
  strict,
)

/** The most calls that one request refunds. */
export const maxUndeliveredRefunds = 1000

const withheldAt = (description: string) =>
  Type.String({
    maxLength: 64,
    description: `${description}; ISO 8601 with an offset`,
    examples: ['2026-11-21T10:02:00+09:00'],
  })

export const refundUndeliveredBodySchema = Type.Object(
  {
    from: withheldAt('Answers that were withheld at this time or later'),
    until: withheldAt('Answers that were withheld before this time'),
    reason,
    dry_run,
    preview_id,
  },
  {
    ...strict,
    examples: [
      {
        from: '2026-11-21T10:02:00+09:00',
        until: '2026-11-21T10:04:00+09:00',
        reason: 'The disk of the database failed',
      },
    ],
  },
)

const correction = {
  adjustment_id: Type.String(),
  team_id: Type.String(),
  amount_nano: Type.Integer({ description: 'As it counts: a refund is negative' }),
  as_of: Type.String({ description: 'ISO 8601 in UTC: the instant of this answer' }),
  version: Type.Integer({ description: "Number of the directory's last change" }),
}
export const grantReplySchema = Type.Object({
  ...correction,
  granted_nano: Type.Integer({ description: 'On top of the budget in its present period, with this grant' }),
})
export const correctionReplySchema = Type.Object({
  ...correction,
  call_id: Type.String(),
  charged_nano: Type.Integer({ description: 'What the call was charged' }),
  left_nano: Type.Integer({ description: 'What is left of it after all corrections' }),
})

export const refundUndeliveredReplySchema = Type.Object({
  bulk_id: Type.String({ description: 'In the ledger and in the audit, the same for all of these refunds' }),
  calls: Type.Integer({ description: 'Calls that were refunded' }),
  amount_nano: Type.Integer({ description: 'What was given back in all: negative' }),
  as_of: correction.as_of,
  version: correction.version,
})

export type RefundUndeliveredBody = Static<typeof refundUndeliveredBodySchema>
export type GrantBody = Static<typeof grantBodySchema>
export type RefundBody = Static<typeof refundBodySchema>
export type AdjustBody = Static<typeof adjustBodySchema>
export type CorrectionReply = Static<typeof correctionReplySchema>
