// The form of POST /images/edits: pictures and what is to change in them.
import Type, { type Static } from 'typebox'
import { imageRatios } from './request.ts'

const picture = Type.Unsafe<Blob | string>({
  description: 'PNG, JPEG or WebP; several as image[]',
  contentMediaType: 'application/octet-stream',
})

export const imageEditRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: 'A model of the imgalias family' }),
    prompt: Type.String({ minLength: 1, maxLength: 32_000, description: 'What is to change' }),
    image: Type.Union([Type.Array(picture, { minItems: 1, maxItems: 14 }), picture]),
    n: Type.Optional(Type.Literal('1', { description: 'One image a request' })),
    aspect_ratio: Type.Optional(
      Type.Enum([...imageRatios], { description: 'Default: as the model sees fit' }),
    ),
    size: Type.Optional(Type.String({ description: 'No effect' })),
    response_format: Type.Optional(Type.Enum(['b64_json', 'url'], { description: 'Always b64_json' })),
  },
  {
    description: 'An image to change, as multipart/form-data',
    examples: [{ model: 'imgalias-2', prompt: 'Make it night', image: '@photo.png' }],
  },
)

export type ImageEditRequest = Static<typeof imageEditRequestSchema>
