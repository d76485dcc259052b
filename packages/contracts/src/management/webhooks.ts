// Bodies and replies for webhooks: external addresses that are notified when something needs an organiser.
import Type, { type Static } from 'typebox'
import { conditionKinds } from '../console/attention.ts'
import { orNull } from '../or-null.ts'
import { plainText, strict } from './owner-fields.ts'
import { moment } from './people.ts'
import { actionQueryFields } from './planned-action.ts'

export const webhookKinds = ['json', 'slack', 'discord'] as const
export type WebhookKind = (typeof webhookKinds)[number]

/** Each condition when it begins, and other events. */
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
      description: 'Destination of events: https at a public address, unless the settings allow private ones',
    }),
    kind: Type.Optional(Type.Enum([...webhookKinds], { description: 'Message format; default `json`' })),
    events: Type.Optional(
      Type.Union([Type.Literal('all'), Type.Array(eventNameSchema, { minItems: 1, maxItems: 50 })], {
        description: 'Events to send; default: all',
      }),
    ),
    reason: orNull(plainText({ description: 'Reason, for the audit log' })),
  },
  { ...strict, examples: [{ url: 'https://hooks.example.org/fairgate', events: ['budget_spent'] }] },
)

export const removeWebhookQuerySchema = Type.Object(actionQueryFields)

export const testWebhookBodySchema = Type.Object({}, strict)

const webhookFields = {
  webhook_id: Type.String(),
  url: Type.String({ description: 'Without most of its path, which can be secret' }),
  kind: Type.Enum([...webhookKinds]),
  events: Type.Array(eventNameSchema),
  created_at: Type.String(),
  created_by: Type.String(),
}

export const webhookSchema = Type.Object({
  ...webhookFields,
  fault: Type.Union([Type.Literal('secret_unreadable'), Type.Null()], {
    description:
      'Null while the webhook works. `secret_unreadable`: its secret was encrypted with another join key, so nothing is sent; remove it and add it again',
  }),
  waiting: Type.Integer({ description: 'Events not delivered yet' }),
  sent: Type.Integer({ description: 'Events delivered in the last 30 days' }),
  given_up: Type.Integer({
    description:
      'In the last 30 days: events that it did not accept within eight hours, or that occurred while it was off',
  }),
  last_sent_at: timeOrNull('Null if nothing has been delivered yet'),
})

export const newWebhookReplySchema = Type.Object({
  ...webhookFields,
  secret: Type.String({
    description:
      'Secret that messages are signed with. Shown only once; docs/webhooks.md explains how to verify a signature.',
  }),
  ...moment,
})

export const webhookListSchema = Type.Object({
  items: Type.Array(webhookSchema),
  next: Type.Null({ description: 'Always null: the list is complete' }),
  total: Type.Object({ count: Type.Integer() }),
  ...moment,
})

export const removedWebhookSchema = Type.Object({ ...webhookFields, ...moment })

export const testedWebhookSchema = Type.Object({
  webhook_id: Type.String(),
  ok: Type.Boolean({ description: 'Whether it accepted the message' }),
  status: Type.Union([Type.Integer(), Type.Null()], {
    description: 'HTTP status of its reply; null if it did not reply',
  }),
  error: timeOrNull('Why it did not accept the message'),
  took_ms: Type.Integer(),
  ...moment,
})

export type NewWebhookBody = Static<typeof newWebhookBodySchema>
export type NewWebhookReply = Static<typeof newWebhookReplySchema>
export type WebhookRecord = Static<typeof webhookSchema>
export type WebhookList = Static<typeof webhookListSchema>
export type RemovedWebhook = Static<typeof removedWebhookSchema>
export type TestedWebhook = Static<typeof testedWebhookSchema>
