// Reads the time between `from` and `until` that a query names.
import { parseMoment } from './parse-moment.ts'
import { refuseValue } from './refusals.ts'

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
