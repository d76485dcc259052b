// The bodies and replies of calls about webhooks: addresses outside that are told what needs an organiser.
import Type, { type Static } from 'typebox'
import { conditionKinds } from '../console/attention.ts'
import { orNull } from '../or-null.ts'
import { plainText, strict } from './owner-fields.ts'
import { moment } from './people.ts'
import { actQueryFields } from './planned-act.ts'

export const webhookKinds = ['json', 'slack', 'discord'] as const
export type WebhookKind = (typeof webhookKinds)[number]

/** Each condition when it begins, and what is news besides. */
export const webhookEventNames = [...conditionKinds, 'phase_changed', 'condition_ended'] as const
export type WebhookEventName = (typeof webhookEventNames)[number]

const eventNameSchema = Type.Enum([...webhookEventNames])
const timeOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const newWebhookBodySchema = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 1000,
      pattern: '^[^\\u0000-\\u0020\\u007f]*$',
      description: 'Where events are sent: https at a public address, unless the settings allow private ones',
    }),
    kind: Type.Optional(
      Type.Enum([...webhookKinds], { description: 'The form of the messages; `json` when absent' }),
    ),
    events: Type.Optional(
      Type.Union([Type.Literal('all'), Type.Array(eventNameSchema, { minItems: 1, maxItems: 50 })], {
        description: 'What it is told; all events when absent',
      }),
    ),
    reason: orNull(plainText({ description: 'Why, for the audit' })),
  },
  { ...strict, examples: [{ url: 'https://hooks.example.org/fairgate', events: ['budget_spent'] }] },
)

export const removeWebhookQuerySchema = Type.Object(actQueryFields)

export const testWebhookBodySchema = Type.Object({}, strict)

const webhookFields = {
  webhook_id: Type.String(),
  url: Type.String({ description: 'Without most of its path, which may be a secret' }),
  kind: Type.Enum([...webhookKinds]),
  events: Type.Array(eventNameSchema),
  created_at: Type.String(),
  created_by: Type.String(),
}

export const webhookSchema = Type.Object({
  ...webhookFields,
  fault: Type.Union([Type.Literal('secret_unreadable'), Type.Null()], {
    description:
      'Null while it is on. `secret_unreadable`: its secret was encrypted with another join key, so nothing is sent; remove it and add it again',
  }),
  waiting: Type.Integer({ description: 'Events that it has not been told yet' }),
  sent: Type.Integer({ description: 'In the last 30 days' }),
  given_up: Type.Integer({
    description:
      'In the last 30 days: events that it did not take in eight hours, or that came while it was off',
  }),
  last_sent_at: timeOrNull('Null when it has been told nothing yet'),
})

export const newWebhookReplySchema = Type.Object({
  ...webhookFields,
  secret: Type.String({
    description:
      'What messages are signed with. Shown once; docs/webhooks.md says how a signature is checked.',
  }),
  ...moment,
})

export const webhookListSchema = Type.Object({
  items: Type.Array(webhookSchema),
  next: Type.Null({ description: 'Always null: all of them are in the list' }),
  total: Type.Object({ count: Type.Integer() }),
  ...moment,
})

export const removedWebhookSchema = Type.Object({ ...webhookFields, ...moment })

export const testedWebhookSchema = Type.Object({
  webhook_id: Type.String(),
  ok: Type.Boolean({ description: 'Whether it took the message' }),
  status: Type.Union([Type.Integer(), Type.Null()], { description: 'What it answered; null for no answer' }),
  error: timeOrNull('Why it did not take the message'),
  took_ms: Type.Integer(),
  ...moment,
})

export type NewWebhookBody = Static<typeof newWebhookBodySchema>
export type NewWebhookReply = Static<typeof newWebhookReplySchema>
export type WebhookRecord = Static<typeof webhookSchema>
export type WebhookList = Static<typeof webhookListSchema>
export type RemovedWebhook = Static<typeof removedWebhookSchema>
export type TestedWebhook = Static<typeof testedWebhookSchema>
