// Body of predict: images from an imggen model, which is priced per image.
import Type, { type Static } from 'typebox'
import { imageRatios } from '../images/request.ts'
import { anything, strict } from './content.ts'

const size = () => Type.Optional(Type.Enum(['1K', '2K']))

const parameters = Type.Object(
  {
    sampleCount: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 4, description: 'Number of images, default 1. Each is charged.' }),
    ),
    aspectRatio: Type.Optional(Type.Enum([...imageRatios])),
    sampleImageSize: size(),
    imageSize: size(),
    personGeneration: anything(),
    safetySetting: anything(),
    language: anything(),
    guidanceScale: anything(),
    includeRaiReason: anything(),
    includeSafetyAttributes: anything(),
    outputOptions: anything(),
    enhancePrompt: anything(),
  },
  strict,
)

export const geminiPredictSchema = Type.Object(
  {
    instances: Type.Array(Type.Object({ prompt: Type.String({ minLength: 1 }) }, strict), {
      minItems: 1,
      maxItems: 1,
      description: 'Exactly one',
    }),
    parameters: Type.Optional(parameters),
  },
  { ...strict, examples: [{ instances: [{ prompt: 'A lighthouse' }], parameters: { sampleCount: 1 } }] },
)

export type GeminiPredict = Static<typeof geminiPredictSchema>
