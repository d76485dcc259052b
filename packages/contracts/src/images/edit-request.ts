// The form of POST /images/edits: images and what to change in them.
import Type, { type Static } from 'typebox'
import { imageRatios } from './request.ts'

const image = Type.Unsafe<Blob | string>({
  description: 'PNG, JPEG or WebP; several as image[]',
  contentMediaType: 'application/octet-stream',
})

export const imageEditRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: 'A model of the imgalias family' }),
    prompt: Type.String({ minLength: 1, maxLength: 32_000, description: 'What is to change' }),
    image: Type.Union([Type.Array(image, { minItems: 1, maxItems: 14 }), image]),
    n: Type.Optional(Type.Literal('1', { description: 'One image per request' })),
    aspect_ratio: Type.Optional(
      Type.Enum([...imageRatios], { description: 'Default: as the model sees fit' }),
    ),
    size: Type.Optional(Type.String({ description: 'No effect' })),
    quality: Type.Optional(Type.String({ description: 'Accepted, without effect' })),
    mask: Type.Optional(
      Type.Unsafe<unknown>({ description: 'Refused: say in the prompt which part is to change' }),
    ),
    // Members that ask for a form of answer, as in images/request.ts. A form field has only text.
    response_format: Type.Optional(
      Type.Literal('b64_json', { description: 'The only form: addresses are not offered' }),
    ),
    output_format: Type.Optional(Type.Literal('png', { description: 'The only one' })),
    output_compression: Type.Optional(
      Type.Literal('100', { description: 'The only one: PNG loses nothing' }),
    ),
    background: Type.Optional(Type.Enum(['auto', 'opaque'], { description: 'Transparency is not offered' })),
    stream: Type.Optional(Type.Literal('false', { description: 'Images are not streamed' })),
    partial_images: Type.Optional(Type.Literal('0', { description: 'Images come whole' })),
  },
  {
    description: 'An image to change, as multipart/form-data',
    examples: [{ model: 'imgalias-2', prompt: 'Make it night', image: '@photo.png' }],
  },
)

export type ImageEditRequest = Static<typeof imageEditRequestSchema>
