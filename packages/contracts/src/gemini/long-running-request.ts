// Body of predictLongRunning: a video, at one price per request (spec 4.1).
import Type, { type Static } from 'typebox'
import { strict } from './content.ts'

const image = Type.Object(
  {
    bytesBase64Encoded: Type.String({ minLength: 1, description: 'First frame of the video' }),
    mimeType: Type.Enum(['image/png', 'image/jpeg']),
  },
  strict,
)

const parameters = Type.Object(
  {
    negativePrompt: Type.Optional(Type.String({ maxLength: 32_000, description: 'What must not appear' })),
    aspectRatio: Type.Optional(
      Type.Enum(['16:9', '9:16'], { description: 'Default 16:9; 9:16 in 720p only' }),
    ),
    durationSeconds: Type.Optional(
      Type.Integer({ minimum: 5, maximum: 8, description: 'Default 8; second generation only' }),
    ),
    sampleCount: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2, description: 'Default 1; 2 for the second generation only' }),
    ),
    resolution: Type.Optional(
      Type.Enum(['720p', '1080p'], {
        description: 'Default 720p; 1080p in 16:9 only; not for the second generation',
      }),
    ),
    personGeneration: Type.Optional(
      Type.Enum(['allow_all', 'allow_adult', 'dont_allow'], {
        description: 'Third generation: allow_all from text, allow_adult from an image',
      }),
    ),
  },
  strict,
)

export const geminiLongRunningSchema = Type.Object(
  {
    instances: Type.Array(
      Type.Object(
        {
          prompt: Type.String({ minLength: 1, maxLength: 32_000 }),
          image: Type.Optional(image),
        },
        strict,
      ),
      { minItems: 1, maxItems: 1, description: 'Exactly one' },
    ),
    parameters: Type.Optional(parameters),
  },
  {
    ...strict,
    examples: [{ instances: [{ prompt: 'Waves at dusk' }], parameters: { aspectRatio: '16:9' } }],
  },
)

export type GeminiLongRunning = Static<typeof geminiLongRunningSchema>
