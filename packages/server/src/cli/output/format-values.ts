// Writes single values as people read them: amounts, limits, lists, times.

export const absent = '-'

/** At least two decimals, at most the nine of a nano-dollar, never an exponent. */
export function formatUsd(amount: number): string {
  const [whole = '0', decimals = ''] = amount.toFixed(9).split('.')
  return `${whole}.${decimals.replace(/0+$/, '').padEnd(2, '0')}`
}

export function formatLimit(limit: number | null): string {
  return limit === null ? 'no limit' : String(limit)
}

export function formatList(names: readonly string[], empty: string): string {
  return names.length === 0 ? empty : names.join(', ')
}

/** `3.50 of 50.00 USD` */
export function formatSpend(spend: number, budget: number | null): string {
  return `${formatUsd(spend)} of ${budget === null ? 'unlimited' : formatUsd(budget)} USD`
}

/** `1d, next reset 2026-11-22T00:00:00.000Z` */
export function formatPeriod(duration: string | null, resetAt: string | null): string {
  if (duration === null) return 'one, without end'
  return resetAt === null ? duration : `${duration}, next reset ${resetAt}`
}
