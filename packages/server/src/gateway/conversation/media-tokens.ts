// The most tokens that one attached image, recording or document can have, and the likely number for the token windows.
import { countBytes } from '@fairgate/contracts/chat/data-url.ts'
import { boundPages, likelyPages } from '../../media/bound-pages.ts'
import { boundWavSeconds } from '../../media/recording-length/bound-seconds.ts'

export const imageTokens = 2600
const audioTokensPerSecond = 32
/** Models of the second generation bill 258, those of the third what an image has: 560, 1,120 at most unless asked otherwise. */
const tokensPerPage = 1120
/** Enough of a WAV file to reach its audio; one with more before it is not measured. */
const headerCharacters = 4096

/** `most` is Infinity for what only the context limit bounds. */
export type MediaTokens = { readonly most: number; readonly likely: number }

export function audioTokens(base64: string): MediaTokens {
  const head = Buffer.from(base64.slice(0, headerCharacters), 'base64')
  const seconds = boundWavSeconds(head, countBytes(base64))
  const tokens = Math.max(audioTokensPerSecond, Math.ceil(seconds * audioTokensPerSecond))
  return { most: tokens, likely: tokens }
}

export function documentTokens(base64: string, perPage = tokensPerPage): MediaTokens {
  const most = boundPages(base64)
  return { most: most * perPage, likely: Math.min(most, likelyPages(base64)) * perPage }
}
