// Form of POST /images/edits: images and what to change in them.
import Type, { type Static } from 'typebox'
import { describeFormats, imageFormats, imageRatios } from './request.ts'

const image = Type.Unsafe<Blob | string>({
  description: 'PNG, JPEG or WebP; send multiple images as image[]',
  contentMediaType: 'application/octet-stream',
})

export const imageEditRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: 'A model of the imgalias family' }),
    prompt: Type.String({ minLength: 1, maxLength: 32_000, description: 'What to change' }),
    image: Type.Union([Type.Array(image, { minItems: 1, maxItems: 14 }), image]),
    n: Type.Optional(Type.Literal('1', { description: 'One image per request' })),
    aspect_ratio: Type.Optional(
      Type.Enum([...imageRatios], { description: 'Chosen by the model if absent' }),
    ),
    size: Type.Optional(Type.String({ description: 'Accepted but has no effect' })),
    quality: Type.Optional(Type.String({ description: 'Accepted but has no effect' })),
    mask: Type.Optional(
      Type.Unsafe<unknown>({ description: 'Refused: describe in the prompt which part to change' }),
    ),
    // Members that request an output format, as in images/request.ts. A form field holds only text.
    response_format: Type.Optional(Type.Enum([...imageFormats], { description: describeFormats })),
    output_format: Type.Optional(Type.Literal('png', { description: 'The only format' })),
    output_compression: Type.Optional(
      Type.Literal('100', { description: 'The only value: PNG is lossless' }),
    ),
    background: Type.Optional(Type.Enum(['auto', 'opaque'], { description: 'Transparency is not offered' })),
    stream: Type.Optional(Type.Literal('false', { description: 'Images are not streamed' })),
    partial_images: Type.Optional(Type.Literal('0', { description: 'Partial images are not offered' })),
  },
  {
    description: 'An image to edit, as multipart/form-data',
    examples: [{ model: 'imgalias-2', prompt: 'Make it night', image: '@photo.png' }],
  },
)

export type ImageEditRequest = Static<typeof imageEditRequestSchema>
