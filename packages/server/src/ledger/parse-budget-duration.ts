// Reads `budget_duration`: the three calendar periods, or a fixed number of days or hours.

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const longestMs = 3_660 * dayMs

/** `day`, `week`, `month` follow the UTC calendar (weeks start on Monday); `fixed` is counted from when it was set. */
export type BudgetDuration =
  | { readonly kind: 'day' | 'week' | 'month' }
  | { readonly kind: 'fixed'; readonly lengthMs: number }

/** Throws RangeError that says what is allowed (spec 2.1: a budget period such as 1d, 1w, 1m). */
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
