// The body of POST /embeddings, in OpenAI form.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'

/** The most texts that the upstream accepts in one batch. */
export const maximumTexts = 100
/** The longest text, in UTF-16 units. */
export const longestText = 100_000
/** The most tokens of one text when texts come as tokens: as many as OpenAI's own models accept. */
export const maximumTokens = 8192

const text = Type.String({ minLength: 1, maxLength: longestText })
const tokens = Type.Array(Type.Integer(), { minItems: 1, maxItems: maximumTokens })

export const embeddingsRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: 'An embedding model' }),
    input: Type.Union(
      [
        text,
        Type.Array(text, { minItems: 1, maxItems: maximumTexts }),
        tokens,
        Type.Array(tokens, { minItems: 1, maxItems: maximumTexts }),
      ],
      {
        description:
          `A text, or up to ${maximumTexts}; each may come as tokens of OpenAI's encoding cl100k_base instead, which are made ` +
          `a text again. LangChain sends tokens by default, and more than ${maximumTexts} texts at once unless told ` +
          `\`chunk_size=${maximumTexts}\`.`,
      },
    ),
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
