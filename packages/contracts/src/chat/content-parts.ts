// Parts of a message's content: text, images, audio, documents.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { imageTypes, isBase64, readDataUrl } from './data-url.ts'

/** Far above honest use. The size of the body is what limits a request. */
const maxParts = 3000
const longestAddress = 8192

export const textPart = Type.Object({ type: Type.Literal('text'), text: Type.String() })

const imagePart = Type.Object({
  type: Type.Literal('image_url'),
  image_url: Type.Object({
    url: Type.Refine(
      Type.String({
        description:
          'A data URL (PNG, JPEG, WebP, HEIC, HEIF), or an https address, which the gateway fetches: at most 10 MiB, no redirects',
      }),
      isImageUrl,
      () => 'must be a base64 data URL of a PNG, JPEG, WebP, HEIC or HEIF image, or an https address',
    ),
    detail: orNull(Type.String({ maxLength: 20, description: 'Has no effect' })),
  }),
})

const audioPart = Type.Object({
  type: Type.Literal('input_audio'),
  input_audio: Type.Object({
    data: base64('The recording, base64'),
    format: Type.Enum(['wav', 'mp3']),
  }),
})

const filePart = Type.Object({
  type: Type.Literal('file'),
  file: Type.Object({
    file_data: orNull(
      Type.Refine(
        Type.String({ description: 'A data URL of a PDF' }),
        isPdfUrl,
        () => 'must be a base64 data URL of the type application/pdf',
      ),
    ),
    filename: orNull(Type.String({ maxLength: 500 })),
    file_id: orNull(
      Type.String({ maxLength: 500, description: 'Id of an uploaded file, in place of `file_data`' }),
    ),
  }),
})

const refusalPart = Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() })

const list = { minItems: 1, maxItems: maxParts }

/** Text, whole or in parts. */
export const textContent = Type.Union([Type.String(), Type.Array(textPart, list)], {
  description: 'Text, whole or in parts',
})

export const userContent = Type.Union(
  [Type.String(), Type.Array(Type.Union([textPart, imagePart, audioPart, filePart]), list)],
  { description: 'Text, or parts (text, images, audio, PDF files)' },
)

export const toolContent = Type.Union(
  [Type.String(), Type.Array(Type.Union([textPart, imagePart, filePart]), list)],
  { description: 'Result of the function: text, or parts (text, images, PDF files)' },
)

export const assistantContent = Type.Union(
  [Type.String(), Type.Array(Type.Union([textPart, refusalPart]), list)],
  { description: 'Text, whole or in parts; null if the message has only tool calls' },
)

export type TextContent = Static<typeof textContent>
export type UserContent = Static<typeof userContent>
export type UserPart = Exclude<UserContent, string>[number]
export type ToolContent = Static<typeof toolContent>
export type AssistantContent = Static<typeof assistantContent>

function base64(description: string) {
  return Type.Refine(Type.String({ description }), isBase64, () => 'must be base64')
}

function isImageUrl(url: string): boolean {
  if (/^https:\/\//i.test(url)) return url.length <= longestAddress
  const data = readDataUrl(url)
  return data !== null && imageTypes.includes(data.mimeType) && isBase64(data.base64)
}

function isPdfUrl(url: string): boolean {
  const data = readDataUrl(url)
  return data !== null && data.mimeType === 'application/pdf' && isBase64(data.base64)
}
