// Reply of GET /attention (conditions that need an organiser now), and body and reply of POST /attention/{condition_id}/snooze.
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
  'submissions_missing',
  'uncharged',
] as const

/** Maximum length of a snooze, so that no condition is forgotten for a whole event. */
export const maxSnoozeMinutes = 1440

const snoozeSchema = Type.Union(
  [
    Type.Object({
      until: Type.String({ description: 'ISO 8601 in UTC' }),
      actor: Type.String(),
      reason: Type.String(),
    }),
    Type.Null(),
  ],
  { description: 'Who snoozed it and until when; null if it is not snoozed' },
)

export const conditionSchema = Type.Object({
  condition_id: Type.String({ description: 'Stays the same for as long as the condition lasts' }),
  kind: Type.Enum([...conditionKinds]),
  severity: Type.Enum(['critical', 'warning'], {
    description:
      '`critical`: calls are being refused or evidence is at risk. `warning`: this will happen unless someone acts.',
  }),
  subjects: Type.Array(
    Type.Object({
      kind: Type.Enum(['event', 'team', 'upstream', 'upstream_key', 'server']),
      id: Type.String(),
      name: Type.String(),
    }),
  ),
  text: Type.String({ description: 'One sentence; teams appear under the names they gave themselves' }),
  since: Type.String({ description: 'When any process first detected it, ISO 8601 in UTC' }),
  action: Type.Union([Type.Object({ text: Type.String(), command: Type.String() }), Type.Null()], {
    description: 'What an organiser can do; null if no command helps',
  }),
  snoozed: snoozeSchema,
})

export const attentionReplySchema = Type.Object({
  ...replyHead,
  items: Type.Array(conditionSchema, {
    description: 'Most severe first, then longest-lasting first; snoozed conditions last',
  }),
  next: Type.Null(),
  total: Type.Object({
    count: Type.Integer({ description: 'All conditions' }),
    critical: Type.Integer({ description: 'Critical conditions that are not snoozed' }),
    warning: Type.Integer({ description: 'Warnings that are not snoozed' }),
    exact: Type.Boolean({ description: 'Always true' }),
  }),
})

export const snoozeBodySchema = Type.Object(
  {
    minutes: orNull(
      Type.Integer({
        minimum: 0,
        maximum: maxSnoozeMinutes,
        description: 'Length of the snooze; default 60. 0 ends it.',
      }),
    ),
    reason: orNull(plainText({ description: 'Reason, recorded in the audit log' })),
  },
  { ...strict, examples: [{ minutes: 60, reason: 'told the team' }] },
)

export const snoozeReplySchema = Type.Object({
  condition_id: Type.String(),
  snoozed_until: textOrNull('ISO 8601 in UTC; null if the snooze was ended'),
  ...replyHead,
})

export type AttentionReply = Static<typeof attentionReplySchema>
export type ConditionRecord = Static<typeof conditionSchema>
export type SnoozeReply = Static<typeof snoozeReplySchema>
