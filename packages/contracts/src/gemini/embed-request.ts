// Bodies of embedContent and batchEmbedContents: texts to embed.
import Type, { type Static } from 'typebox'
import { strict, wholeNumber } from './content.ts'

const wish = Type.Object(
  {
    model: Type.Optional(
      Type.String({ maxLength: 300, description: 'models/{model}, the same as in the path' }),
    ),
    content: Type.Object(
      {
        role: Type.Optional(Type.String({ maxLength: 100 })),
        parts: Type.Array(Type.Object({ text: Type.String() }, strict), { minItems: 1 }),
      },
      strict,
    ),
    taskType: Type.Optional(Type.String({ maxLength: 100 })),
    title: Type.Optional(Type.String()),
    outputDimensionality: wholeNumber(100_000, 'Length of the vector'),
  },
  strict,
)

export const geminiEmbedSchema = Type.Object(wish.properties, {
  ...strict,
  examples: [{ content: { parts: [{ text: 'A lighthouse in the fog' }] } }],
})

export const geminiEmbedBatchSchema = Type.Object(
  { requests: Type.Array(wish, { minItems: 1, maxItems: 100 }) },
  {
    ...strict,
    examples: [
      {
        requests: [
          { model: 'models/mm-embedding-001', content: { parts: [{ text: 'A lighthouse in the fog' }] } },
        ],
      },
    ],
  },
)

export type GeminiEmbed = Static<typeof geminiEmbedSchema>
