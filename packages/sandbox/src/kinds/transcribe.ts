// Turns audio into words with times. The same audio always gives the same words, and longer audio gives more.
import { createDraw } from '../media/hash.ts'

export type SpokenWord = { readonly word: string; readonly start: number; readonly end: number }

const vocabulary =
  'the river ran under a bridge while seven birds sang about morning light and nobody wrote down what they heard that day'.split(
    ' ',
  )
const secondsPerWord = 0.4
const maxWords = 2_000

/** At least one word. */
export function transcribe(audio: Uint8Array, seconds: number): SpokenWord[] {
  const draw = createDraw(audio)
  const count = Math.min(maxWords, Math.max(1, Math.floor(seconds / secondsPerWord)))
  return Array.from({ length: count }, (_, index) => ({
    word: vocabulary[Math.floor(draw() * vocabulary.length)] ?? 'the',
    start: index * secondsPerWord,
    end: (index + 0.9) * secondsPerWord,
  }))
}
