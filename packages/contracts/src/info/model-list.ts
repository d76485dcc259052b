// List of models that a key can call, in OpenAI format (spec 4.1).
import Type, { type Static } from 'typebox'

export const modelSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer({ description: 'Unix time; always the same' }),
  owned_by: Type.String(),
})

export const modelListSchema = Type.Object({ object: Type.Literal('list'), data: Type.Array(modelSchema) })

export type ModelItem = Static<typeof modelSchema>

/** The same in Anthropic format. */
export const messagesModelSchema = Type.Object({
  type: Type.Literal('model'),
  id: Type.String(),
  display_name: Type.String(),
  created_at: Type.String({ description: 'Always the same' }),
  max_input_tokens: Type.Integer(),
  max_tokens: Type.Integer({ description: 'Maximum output tokens' }),
})
const idOrNull = Type.Union([Type.String(), Type.Null()])
export const messagesModelListSchema = Type.Object({
  data: Type.Array(messagesModelSchema),
  has_more: Type.Boolean(),
  first_id: idOrNull,
  last_id: idOrNull,
})
export type MessagesModel = Static<typeof messagesModelSchema>
export type MessagesModelList = Static<typeof messagesModelListSchema>
