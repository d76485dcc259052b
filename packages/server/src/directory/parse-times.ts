// Reads the times that organisers and teams send in requests: moments, with an offset or in the event's time zone, and ranges of them.
import { formatOffset, offsetAt, readLocalMoments } from '@fairgate/contracts/text/zoned-time.ts'
import { refuseValue } from './refusals.ts'

/** ISO 8601. The offset is required: without it the moment is ambiguous. */
const momentPattern = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

/** Unix ms. Throws ApiError `invalid_request` that names the member. */
export function parseMoment(param: string, text: string): number {
  const day = momentPattern.exec(text)?.[1]
  const moment = day !== undefined && isCalendarDay(day) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(moment)) return moment
  throw refuseValue(param, 'write ISO 8601 with an offset, such as 2026-11-21T18:00:00+09:00.')
}

/** `Date.parse` may read 30 February as 2 March. */
function isCalendarDay(day: string): boolean {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
}

/**
 * Unix ms. An offset in the text takes precedence over the zone. Throws ApiError `invalid_request` that names the member, also for a local
 * time that the zone skips or has twice.
 */
export function parseZonedMoment(param: string, text: string, timeZone: string): number {
  const moments = readLocalMoments(text, timeZone)
  if (moments === null) return parseMoment(param, text)
  const [moment, other] = moments
  if (moment === undefined)
    throw refuseValue(
      param,
      `${text} does not exist in ${timeZone} because the clocks go forward then. Choose another time.`,
    )
  if (other !== undefined) {
    const offsets = moments.map(at => formatOffset(offsetAt(timeZone, at)))
    throw refuseValue(
      param,
      `${text} occurs twice in ${timeZone} because the clocks go back then. Add the offset that you mean, ${offsets.join(' or ')}.`,
    )
  }
  return moment
}

type RangeQuery = { readonly from?: string; readonly until?: string }

/** Unix ms: at `from` or later, and before `until`. An end that the query omits is null. Throws ApiError `invalid_request`. */
export function parseOpenRange(query: RangeQuery): {
  readonly from: number | null
  readonly until: number | null
} {
  const from = parseTime('from', query.from)
  const until = parseTime('until', query.until)
  if (from !== null && until !== null) requireOrder(from, until)
  return { from, until }
}

/** The last millisecond that a call id can encode. */
const endOfTime = 0xffff_ffff_ffff

/** Like `parseOpenRange`, with an open end replaced by the first or last millisecond. */
export function parseRange(query: RangeQuery): { readonly from: number; readonly until: number } {
  const { from, until } = parseOpenRange(query)
  const range = { from: from ?? 0, until: until ?? endOfTime }
  requireOrder(range.from, range.until)
  return range
}

function requireOrder(from: number, until: number): void {
  if (until <= from) throw refuseValue('until', 'it must be later than from.')
}

/** An unescaped plus sign in a URL arrives as a space. */
function parseTime(param: string, text: string | undefined): number | null {
  return text === undefined ? null : parseMoment(param, text.replace(/ (?=\d{2}:\d{2}$)/, '+'))
}
