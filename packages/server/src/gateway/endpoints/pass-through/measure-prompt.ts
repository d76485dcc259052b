// The size of a prompt in the vendor's form, from above: every byte of the body a token, save the media, which are measured.
import { countBytes } from '@fairgate/contracts/chat/data-url.ts'
import type { GeminiBlob, GeminiContent } from '@fairgate/contracts/gemini/content.ts'
import { inputCeiling, inputEstimate } from '../../../ledger/estimate-tokens.ts'
import { audioTokens, countPages, imageTokens } from '../../conversation/media-tokens.ts'

export type PromptSize = {
  /** Never fewer tokens than the prompt has, `contextLimit` at most. */
  readonly ceiling: number
  /** The likely number, at most the ceiling. */
  readonly likely: number
  readonly hasMedia: boolean
}

/** `bodyBytes`: the whole body as sent, of which JSON's own marks count as text too. */
export function measurePrompt(
  bodyBytes: number,
  contents: readonly GeminiContent[],
  contextLimit: number,
): PromptSize {
  const parts = contents.flatMap(content => content.parts ?? [])
  const blobs = [...parts, ...parts.flatMap(part => part.functionResponse?.parts ?? [])].flatMap(
    ({ inlineData }) => inlineData ?? [],
  )
  const characters = blobs.reduce((sum, blob) => sum + (blob.data?.length ?? 0), 0)
  const media = blobs.reduce((sum, blob) => sum + blobTokens(blob, contextLimit), 0)
  const text = Math.max(0, bodyBytes - characters)
  const pieces = contents.length + parts.length
  const ceiling = Math.min(inputCeiling(text, pieces) + media, contextLimit)
  const likely = Math.min(inputEstimate(text, pieces) + media, ceiling)
  return { ceiling, likely, hasMedia: blobs.length > 0 }
}

/** What cannot be measured here (video, packed audio, unknown types) may fill the whole context. */
function blobTokens({ mimeType = '', data = '' }: GeminiBlob, contextLimit: number): number {
  const type = mimeType.toLowerCase().split(';')[0]?.trim() ?? ''
  if (type.startsWith('image/')) return imageTokens
  // A page is looked at as an image, as closely as the request asks for.
  if (type === 'application/pdf') return countPages(data) * imageTokens
  if (type.startsWith('text/')) return countBytes(data)
  if (type === 'audio/wav' || type === 'audio/x-wav') return audioTokens(data, 'wav')
  if (type === 'audio/mp3' || type === 'audio/mpeg') return audioTokens(data, 'mp3')
  return contextLimit
}
