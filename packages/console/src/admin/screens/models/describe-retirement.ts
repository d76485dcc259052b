// When the upstream ends a model, in words.
import type { BadgeTone } from '../../../show/badge.tsx'

const dayMs = 24 * 3_600_000
const soonDays = 14

/** `on`: the day, `2026-10-02`. Null for a model whose end is not known. */
export function describeRetirement(
  on: string | null,
  now: number,
): { readonly tone: BadgeTone; readonly text: string } | null {
  if (on === null) return null
  const days = Math.ceil((Date.parse(on) - now) / dayMs)
  if (days <= 0) return { tone: 'bad', text: `ended ${on}` }
  return days <= soonDays ? { tone: 'warn', text: `in ${days} days` } : { tone: 'plain', text: on }
}
