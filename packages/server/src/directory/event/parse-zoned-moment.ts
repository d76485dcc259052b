// Reads a time that an organiser writes for the event: without an offset it is in the zone of the event.
import { formatOffset, offsetAt, readLocalMoments } from '@fairgate/contracts/text/zoned-time.ts'
import { parseMoment } from '../parse-moment.ts'
import { refuseValue } from '../refusals.ts'

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
