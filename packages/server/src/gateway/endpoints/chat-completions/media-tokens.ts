// The most tokens that one medium of a message can have.
import type { UserPart } from '@fairgate/contracts/chat/content-parts.ts'
import { readDataUrl } from '@fairgate/contracts/chat/data-url.ts'
import { audioTokens, documentTokens, imageTokens } from '../../media-tokens.ts'

export function mediaTokensOf(part: Exclude<UserPart, { type: 'text' }>): number {
  switch (part.type) {
    case 'image_url':
      return imageTokens
    case 'input_audio':
      return audioTokens(part.input_audio.data, part.input_audio.format)
    case 'file':
      return documentTokens(readDataUrl(part.file.file_data)?.base64 ?? '')
  }
}
