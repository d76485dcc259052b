// Parses a typed amount with its sign.
import { parseMoney } from '../../../format/money.ts'

/** Nano-dollars; null if the text is not an amount or is zero. */
export function readChange(text: string): number | null {
  const nano = parseMoney(text.replace(/^\s*[-−+]/, ''))
  if (nano === null || nano === 0) return null
  return /^\s*[-−]/.test(text) ? -nano : nano
}
