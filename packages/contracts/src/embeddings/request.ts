// Body of POST /embeddings, in OpenAI format.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'

/** Maximum texts per request: the limit of OpenAI's API, which its clients fill. */
export const maximumTexts = 2048
/** Maximum length of a text, in UTF-16 units. */
export const longestText = 100_000
/** Maximum tokens per text when texts are sent as tokens: the limit of OpenAI's own models. */
export const maximumTokens = 8192
/** Maximum tokens per request when texts are sent as tokens: OpenAI's limit, up to which LangChain fills a request. */
export const maximumTokensTogether = 300_000

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
          `One text, or up to ${maximumTexts}. Each can be sent as tokens of OpenAI's cl100k_base encoding instead, which are decoded to ` +
          `text: at most ${maximumTokens} a text and ${maximumTokensTogether} a request.`,
      },
    ),
    encoding_format: orNull(Type.Enum(['float', 'base64'], { description: 'Default float' })),
    dimensions: orNull(
      Type.Integer({
        minimum: 1,
        maximum: 3072,
        description: 'Length of each vector; chosen by the model if absent',
      }),
    ),
  },
  {
    description: 'Texts to embed',
    examples: [{ model: 'mm-embedding-001', input: 'All human beings are born free.' }],
  },
)

export type EmbeddingsRequest = Static<typeof embeddingsRequestSchema>
