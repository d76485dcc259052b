// Body of POST /images/generations (spec 4.1). Limits of each model family are checked once the model is known.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'

export const imageRatios = ['1:1', '3:4', '4:3', '16:9', '9:16'] as const
export const imageSizes = ['1024x1024', '1536x1024', '1024x1536'] as const

export const imageFormats = ['b64_json', 'url'] as const
export const describeFormats = 'Default b64_json; url is an address that works for an hour, without a key'

/** Members that request an output format. Accepted if they request one that is on offer; otherwise refused before any charge. */
const imageForms = {
  response_format: orNull(Type.Enum([...imageFormats], { description: describeFormats })),
  output_format: orNull(Type.Literal('png', { description: 'The only format' })),
  output_compression: orNull(Type.Literal(100, { description: 'The only value: PNG is lossless' })),
  background: orNull(Type.Enum(['auto', 'opaque'], { description: 'Transparency is not offered' })),
  stream: orNull(Type.Literal(false, { description: 'Images are not streamed' })),
  partial_images: orNull(Type.Literal(0, { description: 'Partial images are not offered' })),
}

export const imageRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: 'Model id; GET /v1/models lists them' }),
    prompt: Type.String({ minLength: 1, maxLength: 32_000, description: 'Description of the image' }),
    n: orNull(
      Type.Integer({
        minimum: 1,
        maximum: 4,
        description: 'Number of images: 1 to 4 for imggen models, otherwise 1',
      }),
    ),
    aspect_ratio: orNull(
      Type.Enum([...imageRatios], { description: 'Default 1:1; overrides size if both are given' }),
    ),
    size: orNull(
      Type.String({
        description: `imggen models: ${imageSizes.join(', ')} or auto (the first of these); no effect for other models`,
      }),
    ),
    quality: orNull(Type.String({ description: 'Accepted but has no effect' })),
    ...imageForms,
  },
  {
    description: 'An image to generate, in OpenAI format',
    examples: [{ model: 'imggen-4', prompt: 'A lighthouse in the fog, oil painting', n: 1 }],
  },
)

export type ImageRequest = Static<typeof imageRequestSchema>
export type ImageRatio = (typeof imageRatios)[number]
