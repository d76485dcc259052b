// Reads a time that an organiser or a team names in a request.
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
