// Reads the times that organisers and teams name in requests: moments, with an offset or in the zone of the event, and ranges of them.
import { formatOffset, offsetAt, readLocalMoments } from '@fairgate/contracts/text/zoned-time.ts'
import { refuseValue } from './refusals.ts'

/** ISO 8601. The offset must be there: without it the moment is in doubt. */
const momentPattern = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

/** Unix ms. Throws ApiError `invalid_request` that names the member. */
export function parseMoment(param: string, text: string): number {
  const day = momentPattern.exec(text)?.[1]
  const moment = day !== undefined && isCalendarDay(day) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(moment)) return moment
  throw refuseValue(param, 'write ISO 8601 with an offset, such as 2026-11-21T18:00:00+09:00.')
}

/** `Date.parse` may take 30 February for 2 March. */
function isCalendarDay(day: string): boolean {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
}

/**
 * Unix ms. A time with an offset is what it says. Throws ApiError `invalid_request` that names the member, also for a local time that
 * the zone skips or has twice.
 */
export function parseZonedMoment(param: string, text: string, timeZone: string): number {
  const moments = readLocalMoments(text, timeZone)
  if (moments === null) return parseMoment(param, text)
  const [moment, other] = moments
  if (moment === undefined)
    throw refuseValue(
      param,
      `${text} does not exist in ${timeZone}: the clocks are put forward then. Write another time.`,
    )
  if (other !== undefined) {
    const offsets = moments.map(at => formatOffset(offsetAt(timeZone, at)))
    throw refuseValue(
      param,
      `${text} comes twice in ${timeZone}: the clocks are put back then. Add the offset that is meant, ${offsets.join(' or ')}.`,
    )
  }
  return moment
}

type RangeQuery = { readonly from?: string; readonly until?: string }

/** Unix ms: at `from` or later, and before `until`. An end that the query leaves open is null. Throws ApiError `invalid_request`. */
export function parseOpenRange(query: RangeQuery): {
  readonly from: number | null
  readonly until: number | null
} {
  const from = parseTime('from', query.from)
  const until = parseTime('until', query.until)
  if (from !== null && until !== null) requireOrder(from, until)
  return { from, until }
}

/** The last millisecond that the id of a call can begin with. */
const endOfTime = 0xffff_ffff_ffff

/** The same, from the first millisecond to the last where an end is open. */
export function parseRange(query: RangeQuery): { readonly from: number; readonly until: number } {
  const { from, until } = parseOpenRange(query)
  const range = { from: from ?? 0, until: until ?? endOfTime }
  requireOrder(range.from, range.until)
  return range
}

function requireOrder(from: number, until: number): void {
  if (until <= from) throw refuseValue('until', 'it must be later than from.')
}

/** A plus sign that was not escaped in an address arrives as a space. */
function parseTime(param: string, text: string | undefined): number | null {
  return text === undefined ? null : parseMoment(param, text.replace(/ (?=\d{2}:\d{2}$)/, '+'))
}
