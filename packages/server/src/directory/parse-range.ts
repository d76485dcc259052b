// Reads the time between `from` and `until` that a request names; without them it is all of it.
import { parseMoment } from './parse-moment.ts'
import { refuseValue } from './refusals.ts'

/** The last millisecond that the id of a call can begin with. */
const endOfTime = 0xffff_ffff_ffff

/** Unix ms: at `from` or later, and before `until`. Throws ApiError `invalid_request`. */
export function parseRange(query: { readonly from?: string; readonly until?: string }): {
  readonly from: number
  readonly until: number
} {
  const from = query.from === undefined ? 0 : parseTime('from', query.from)
  const until = query.until === undefined ? endOfTime : parseTime('until', query.until)
  if (until <= from) throw refuseValue('until', 'it must be later than from.')
  return { from, until }
}

/** A plus sign that was not escaped in an address arrives as a space. */
function parseTime(param: string, text: string): number {
  return parseMoment(param, text.replace(/ (?=\d{2}:\d{2}$)/, '+'))
}
