// Computes budget periods a second time, with calendar dates only, as a check on the ledger's own arithmetic.

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Unix ms; `end` is null if the period never ends. */
export type PlainPeriod = { readonly start: number; readonly end: number | null }

/** The period of `duration`, set at `anchor`, that contains `now`. */
export function plainPeriod(duration: string | null, anchor: number, now: number): PlainPeriod {
  if (duration === null) return { start: anchor, end: null }
  const moment = Math.max(now, anchor)
  const date = new Date(moment)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  const calendar = (start: number, end: number) => ({ start: Math.max(start, anchor), end })
  if (duration === '1d') return calendar(Date.UTC(year, month, day), Date.UTC(year, month, day + 1))
  if (duration === '1m') return calendar(Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1))
  if (duration === '1w') {
    const monday = day - ((date.getUTCDay() + 6) % 7)
    return calendar(Date.UTC(year, month, monday), Date.UTC(year, month, monday + 7))
  }
  const length = Number(duration.slice(0, -1)) * (duration.endsWith('h') ? hourMs : dayMs)
  const start = moment - ((moment - anchor) % length)
  return { start, end: start + length }
}
