// Measures a prompt in the vendor's format as an upper bound: every byte of the body is a token, except for media, which are measured.
import { countBytes } from '@fairgate/contracts/chat/data-url.ts'
import type { GeminiBlob, GeminiContent } from '@fairgate/contracts/gemini/content.ts'
import { inputCeiling, inputEstimate } from '../../../ledger/estimate-tokens.ts'
import {
  audioTokens,
  documentTokens,
  imageTokens,
  type MediaTokens,
  type MediumKind,
  moreDoubtful,
} from '../../conversation/measure-input.ts'

export type PromptSize = {
  /** Never fewer tokens than the prompt has, at most `contextLimit`. */
  readonly ceiling: number
  /** The likely number, at most the ceiling. */
  readonly likely: number
  /** Likely text, and the upper bound for media: charged if nothing more is known. */
  readonly expected: number
  readonly hasMedia: boolean
  readonly medium: MediumKind
}

/** `bodyBytes`: the whole body as sent; JSON's own punctuation counts as text too. */
export function measurePrompt(
  bodyBytes: number,
  contents: readonly GeminiContent[],
  contextLimit: number,
): PromptSize {
  const parts = contents.flatMap(content => content.parts ?? [])
  const nested = parts.flatMap(part => part.functionResponse?.parts ?? [])
  const blobs = [...parts, ...nested].flatMap(({ inlineData }) => inlineData ?? [])
  const characters = blobs.reduce((sum, blob) => sum + (blob.data?.length ?? 0), 0)
  const isLarge = ({ fileData }: { readonly fileData?: unknown }) => fileData !== undefined
  const large = [...parts, ...nested].filter(isLarge)
  const media = [
    ...blobs.map(blob => ({ medium: mediumOf(typeOf(blob)), ...blobTokens(blob, contextLimit) })),
    ...large.map(() => ({ medium: 'document' as const, most: contextLimit, likely: contextLimit })),
  ]
  const text = Math.max(0, bodyBytes - characters)
  const pieces = contents.length + parts.length
  const most = media.reduce((sum, each) => sum + each.most, 0)
  const likely = media.reduce((sum, each) => sum + each.likely, 0)
  const likelyText = inputEstimate(text, pieces)
  const ceiling = Math.min(inputCeiling(text, pieces) + most, contextLimit)
  const medium = media.reduce<MediumKind>((kind, each) => moreDoubtful(kind, each.medium), 'text')
  return {
    ceiling,
    likely: Math.min(likelyText + likely, ceiling),
    expected: Math.min(likelyText + most, ceiling),
    hasMedia: media.length > 0,
    medium,
  }
}

function typeOf({ mimeType = '' }: GeminiBlob): string {
  return mimeType.toLowerCase().split(';')[0]?.trim() ?? ''
}

/** Video, and media of unknown type, are as hard to measure as a document. */
function mediumOf(type: string): MediumKind {
  if (type.startsWith('image/')) return 'image'
  if (type.startsWith('text/')) return 'text'
  return type.startsWith('audio/') ? 'audio' : 'document'
}

/** Media that cannot be measured here (video, packed audio, unknown types) may fill the whole context. */
function blobTokens(blob: GeminiBlob, contextLimit: number): MediaTokens {
  const { data = '' } = blob
  const type = typeOf(blob)
  const exactly = (tokens: number) => ({ most: tokens, likely: tokens })
  if (type.startsWith('image/')) return exactly(imageTokens)
  // A page is read as an image, at the resolution that the request sets.
  if (type === 'application/pdf') return documentTokens(data, imageTokens)
  if (type.startsWith('text/')) return exactly(countBytes(data))
  if (measuredAudio.includes(type)) return audioTokens(data)
  return exactly(contextLimit)
}

const measuredAudio: readonly string[] = ['audio/wav', 'audio/x-wav', 'audio/mp3', 'audio/mpeg']
