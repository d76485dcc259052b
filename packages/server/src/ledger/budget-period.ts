// Finds the budget period that contains a moment. Computed on each read, so a reset is never late.

/** Unix ms; `end` is the first moment after the period, null if it never ends. */
export type BudgetPeriod = { readonly start: number; readonly end: number | null }

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const weekMs = 7 * dayMs
// 1970-01-01 was a Thursday: this is the Monday before it.
const firstMondayMs = -3 * dayMs

/**
 * The period that contains `now`. `anchor` (Unix ms) is when the duration was set: no period starts before it, so a new duration starts a
 * new period. A `now` before the anchor counts as the anchor. `since` (Unix ms) also cuts a period off, but keeps the ends unchanged: used
 * for a phase of an event with its own accounting. Throws RangeError for an invalid duration.
 */
export function periodOf(
  duration: string | null,
  anchor: number,
  now: number,
  since: number | null = null,
): BudgetPeriod {
  if (since !== null) {
    const { start, end } = periodOf(duration, anchor, Math.max(now, since))
    return { start: Math.max(start, since), end }
  }
  if (duration === null) return { start: anchor, end: null }
  const moment = Math.max(now, anchor)
  const parsed = parseBudgetDuration(duration)
  if (parsed.kind === 'fixed') {
    const start = anchor + Math.floor((moment - anchor) / parsed.lengthMs) * parsed.lengthMs
    return { start, end: start + parsed.lengthMs }
  }
  const { start, end } = calendarPeriod(parsed.kind, moment)
  return { start: Math.max(start, anchor), end }
}

function calendarPeriod(kind: 'day' | 'week' | 'month', moment: number): { start: number; end: number } {
  if (kind === 'month') {
    const date = new Date(moment)
    const year = date.getUTCFullYear()
    const month = date.getUTCMonth()
    return { start: Date.UTC(year, month, 1), end: Date.UTC(year, month + 1, 1) }
  }
  const [origin, length] = kind === 'day' ? [0, dayMs] : [firstMondayMs, weekMs]
  const start = origin + Math.floor((moment - origin) / length) * length
  return { start, end: start + length }
}

const longestMs = 3_660 * dayMs

/** `day`, `week` and `month` follow the UTC calendar (weeks start on Monday); `fixed` is counted from when it was set. */
export type BudgetDuration =
  | { readonly kind: 'day' | 'week' | 'month' }
  | { readonly kind: 'fixed'; readonly lengthMs: number }

/** Throws RangeError with the allowed values (spec 2.1: a budget period such as 1d, 1w, 1m). */
export function parseBudgetDuration(text: string): BudgetDuration {
  if (text === '1d') return { kind: 'day' }
  if (text === '1w') return { kind: 'week' }
  if (text === '1m' || text === '1mo') return { kind: 'month' }
  const match = /^([1-9]\d{0,5})([dh])$/.exec(text)
  if (match === null) {
    throw new RangeError(
      `"${text}" is not a budget duration: use 1d (UTC day), 1w (week from Monday), 1m (calendar month), or a number of days or hours such as 30d or 12h.`,
    )
  }
  const lengthMs = Number(match[1]) * (match[2] === 'd' ? dayMs : hourMs)
  if (lengthMs > longestMs)
    throw new RangeError(`"${text}" is too long for a budget duration: at most ten years.`)
  return { kind: 'fixed', lengthMs }
}
