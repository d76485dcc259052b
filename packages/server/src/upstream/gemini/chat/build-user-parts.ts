// What a user says and attaches → the vendor's parts.
import type { UserContent, UserPart } from '@fairgate/contracts/chat/content-parts.ts'
import { readDataUrl } from '@fairgate/contracts/chat/data-url.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Part } from './part.ts'

/** Neighbouring texts are joined. `index`: of the message, for errors. */
export function buildUserParts(content: UserContent, index: number): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }]
  const parts: Part[] = []
  let text = ''
  const endText = () => {
    if (text !== '') parts.push({ text })
    text = ''
  }
  content.forEach((part, position) => {
    if (part.type === 'text') {
      text += part.text
      return
    }
    endText()
    parts.push(buildMedia(part, `messages[${index}].content[${position}]`))
  })
  endText()
  return parts
}

function buildMedia(part: Exclude<UserPart, { type: 'text' }>, place: string): Part {
  switch (part.type) {
    case 'image_url':
      return inline(part.image_url.url, `${place}.image_url.url`)
    case 'file':
      return inline(part.file.file_data, `${place}.file.file_data`)
    case 'input_audio': {
      const { data, format } = part.input_audio
      return { inlineData: { mimeType: format === 'wav' ? 'audio/wav' : 'audio/mp3', data } }
    }
  }
}

/** Addresses of images have become data URLs by now. */
function inline(url: string, param: string): Part {
  const media = readDataUrl(url)
  if (media === null) throw new ApiError('invalid_request', { param, message: `${param} is not a data URL.` })
  return { inlineData: { mimeType: media.mimeType, data: media.base64 } }
}
