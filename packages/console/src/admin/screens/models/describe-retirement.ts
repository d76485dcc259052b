// Describes when the upstream retires a model.
import type { BadgeTone } from '../../../show/badge.tsx'

const dayMs = 24 * 3_600_000
const soonDays = 14

/** `on`: a day such as `2026-10-02`. Null if no retirement date is known. */
export function describeRetirement(
  on: string | null,
  now: number,
): { readonly tone: BadgeTone; readonly text: string } | null {
  if (on === null) return null
  const days = Math.ceil((Date.parse(on) - now) / dayMs)
  if (days <= 0) return { tone: 'bad', text: `retired ${on}` }
  return days <= soonDays ? { tone: 'warn', text: `in ${days} days` } : { tone: 'plain', text: on }
}
