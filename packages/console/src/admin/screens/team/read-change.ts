// Reads an amount with its sign, as it is typed: more, or less.
import { parseMoney } from '../../../format/money.ts'

/** Nano-dollars; null for what is no amount, or nothing. */
export function readChange(text: string): number | null {
  const nano = parseMoney(text.replace(/^\s*[-−+]/, ''))
  if (nano === null || nano === 0) return null
  return /^\s*[-−]/.test(text) ? -nano : nano
}
