// What GET /attention tells, and what POST /attention/{condition_id}/snooze takes: what needs an organiser now.
import Type, { type Static } from 'typebox'
import { plainText, strict } from '../management/owner-fields.ts'
import { orNull } from '../or-null.ts'
import { textOrNull } from '../spend/spend-members.ts'
import { replyHead } from './figures.ts'

export const conditionKinds = [
  'budget_low',
  'budget_spent',
  'budget_runs_dry',
  'event_cap_low',
  'event_cap_spent',
  'event_cap_forecast',
  'upstream_key_out',
  'upstream_out',
  'upstream_errors',
  'disk_short',
  'ledger_retrying',
  'totals_wrong',
  'refused_often',
  'recorder_silent',
  'log_uncovered',
  'board_locked',
  'question_waiting',
  'uncharged',
] as const

/** The longest that a condition is put off: it must not be forgotten for a whole event. */
export const mostSnoozeMinutes = 1440

const snoozeSchema = Type.Union(
  [
    Type.Object({
      until: Type.String({ description: 'ISO 8601 in UTC' }),
      actor: Type.String(),
      reason: Type.String(),
    }),
    Type.Null(),
  ],
  { description: 'Who has put it off, and until when; null where nobody has' },
)

export const conditionSchema = Type.Object({
  condition_id: Type.String({ description: 'The same for as long as it lasts' }),
  kind: Type.Enum([...conditionKinds]),
  severity: Type.Enum(['critical', 'warning'], {
    description:
      '`critical`: calls are refused or evidence is at stake already. `warning`: they will be, if nobody does anything.',
  }),
  subjects: Type.Array(
    Type.Object({
      kind: Type.Enum(['event', 'team', 'upstream', 'upstream_key', 'server']),
      id: Type.String(),
      name: Type.String(),
    }),
  ),
  text: Type.String({ description: 'One sentence, in which teams have the names that they gave themselves' }),
  since: Type.String({ description: 'Since when it is known to any process, ISO 8601 in UTC' }),
  action: Type.Union([Type.Object({ text: Type.String(), command: Type.String() }), Type.Null()], {
    description: 'What an organiser can do; null where no command helps',
  }),
  snoozed: snoozeSchema,
})

export const attentionReplySchema = Type.Object({
  ...replyHead,
  items: Type.Array(conditionSchema, {
    description: 'Worst first, then those that have lasted longest; what was put off stands last',
  }),
  next: Type.Null(),
  total: Type.Object({
    count: Type.Integer({ description: 'All of them' }),
    critical: Type.Integer({ description: 'Those that are critical and not put off' }),
    warning: Type.Integer({ description: 'The others that are not put off' }),
    exact: Type.Boolean({ description: 'Always true' }),
  }),
})

export const snoozeBodySchema = Type.Object(
  {
    minutes: orNull(
      Type.Integer({
        minimum: 0,
        maximum: mostSnoozeMinutes,
        description: 'For how long; an hour when absent. 0 takes it back.',
      }),
    ),
    reason: orNull(plainText({ description: 'Why; stands in the audit' })),
  },
  { ...strict, examples: [{ minutes: 60, reason: 'told the team' }] },
)

export const snoozeReplySchema = Type.Object({
  condition_id: Type.String(),
  snoozed_until: textOrNull('ISO 8601 in UTC; null when it was taken back'),
  ...replyHead,
})

export type AttentionReply = Static<typeof attentionReplySchema>
export type ConditionRecord = Static<typeof conditionSchema>
export type SnoozeReply = Static<typeof snoozeReplySchema>
