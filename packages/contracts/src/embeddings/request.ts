// The body of POST /embeddings, in OpenAI form.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'

/** As many texts as the upstream takes in one batch. */
export const maximumTexts = 100

const text = Type.String({ minLength: 1, maxLength: 100_000 })

export const embeddingsRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: 'An embedding model' }),
    input: Type.Union([text, Type.Array(text, { minItems: 1, maxItems: maximumTexts })], {
      description: `A text, or up to ${maximumTexts}`,
    }),
    encoding_format: orNull(Type.Enum(['float', 'base64'], { description: 'Default float' })),
    dimensions: orNull(
      Type.Integer({
        minimum: 1,
        maximum: 3072,
        description: 'Length of each vector; the model decides when absent',
      }),
    ),
  },
  {
    description: 'Texts to embed',
    examples: [{ model: 'mm-embedding-001', input: 'All human beings are born free.' }],
  },
)

export type EmbeddingsRequest = Static<typeof embeddingsRequestSchema>
