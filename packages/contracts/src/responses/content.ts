// Content of messages and tool results in the OpenAI Responses dialect: text, refusals, images, PDF files, audio.
import Type, { type Static } from 'typebox'
import { imageTypes, isBase64, readDataUrl } from '../chat/data-url.ts'
import { orNull } from '../or-null.ts'

/** Far above honest use. The size of the body is what limits a request. */
const maxParts = 3000
const longestAddress = 8192

const text = Type.Object(
  { type: Type.Enum(['input_text', 'output_text', 'text']), text: Type.String() },
  { description: 'Text' },
)

const refusal = Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() })

const image = Type.Object({
  type: Type.Literal('input_image'),
  image_url: orNull(
    Type.Refine(
      Type.String({
        description:
          'A data URL (PNG, JPEG, WebP, HEIC, HEIF), or an https address, which the gateway fetches: at most 10 MiB, no redirects',
      }),
      isImageUrl,
      () => 'must be a base64 data URL of a PNG, JPEG, WebP, HEIC or HEIF image, or an https address',
    ),
  ),
  file_id: orNull(Type.String({ maxLength: 500, description: 'Id of an uploaded file' })),
})

const file = Type.Object({
  type: Type.Literal('input_file'),
  file_data: orNull(
    Type.Refine(
      Type.String({ description: 'A data URL of a PDF' }),
      isPdfUrl,
      () => 'must be a base64 data URL of the type application/pdf',
    ),
  ),
  filename: orNull(Type.String({ maxLength: 500 })),
  file_url: orNull(Type.String({ description: 'Refused: send `file_data`' })),
  file_id: orNull(Type.String({ maxLength: 500, description: 'Id of an uploaded file' })),
})

const audio = Type.Object({
  type: Type.Literal('input_audio'),
  input_audio: Type.Object({
    data: Type.Refine(
      Type.String({ description: 'The recording, base64' }),
      isBase64,
      () => 'must be base64',
    ),
    format: Type.Enum(['wav', 'mp3']),
  }),
})

const part = Type.Union([text, refusal, image, file, audio])
export type ContentPart = Static<typeof part>

/** Content of a message or of a tool result. */
export const contentSchema = Type.Union([Type.String(), Type.Array(part, { maxItems: maxParts })], {
  description: 'Text, or parts (text, images, PDF files, audio)',
})
export type Content = Static<typeof contentSchema>

function isImageUrl(url: string): boolean {
  if (/^https:\/\//i.test(url)) return url.length <= longestAddress
  const data = readDataUrl(url)
  return data !== null && imageTypes.includes(data.mimeType) && isBase64(data.base64)
}

function isPdfUrl(url: string): boolean {
  const data = readDataUrl(url)
  return data !== null && data.mimeType === 'application/pdf' && isBase64(data.base64)
}
