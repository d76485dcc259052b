// Reply of POST /embeddings, in OpenAI format.
import Type, { type Static } from 'typebox'

export const embeddingsResponseSchema = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(
      Type.Object({
        object: Type.Literal('embedding'),
        index: Type.Integer(),
        embedding: Type.Union([Type.Array(Type.Number()), Type.String()], {
          description: 'Numbers, or little-endian 32-bit floats in Base64',
        }),
      }),
    ),
    model: Type.String(),
    usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
  },
  { description: 'One vector per text, in the same order' },
)

export type EmbeddingsResponse = Static<typeof embeddingsResponseSchema>
