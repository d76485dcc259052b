// Body of POST /v1/videos, as JSON or as a form (spec 4.1).
import Type, { type Static } from 'typebox'

export const videoSeconds = ['4', '6', '8'] as const
export const videoSizes = ['1280x720', '1920x1080', '720x1280', '1080x1920'] as const

const inputReference = Type.Union([
  Type.Unsafe<Blob | string>({
    description: 'In a form: a PNG, JPEG or WebP file',
    contentMediaType: 'application/octet-stream',
  }),
  Type.Object({
    image_url: Type.String({ description: 'In JSON: a data URL, `data:image/png;base64,…`' }),
  }),
])

export const videoRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: 'A video model' }),
    prompt: Type.String({ minLength: 1, maxLength: 32_000, description: 'Description of the video' }),
    seconds: Type.Optional(Type.Enum([...videoSeconds], { description: 'Default `8`' })),
    size: Type.Optional(
      Type.Enum([...videoSizes], { description: 'Width and height in pixels; default `1280x720`' }),
    ),
    input_reference: Type.Optional(inputReference),
  },
  {
    description: 'A video to generate; use multipart/form-data if input_reference is a file',
    examples: [{ model: 'video-3.1-lite-generate-001', prompt: 'Waves at dusk', seconds: '4' }],
  },
)

export type VideoRequest = Static<typeof videoRequestSchema>
export type VideoSeconds = (typeof videoSeconds)[number]
export type VideoSize = (typeof videoSizes)[number]
