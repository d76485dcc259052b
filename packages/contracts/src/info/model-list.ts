// The list of models that a key can call, in OpenAI's shape (spec 4.1).
import Type, { type Static } from 'typebox'

export const modelSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer({ description: 'Unix time; a constant' }),
  owned_by: Type.String(),
})

export const modelListSchema = Type.Object({ object: Type.Literal('list'), data: Type.Array(modelSchema) })

export type ModelItem = Static<typeof modelSchema>
