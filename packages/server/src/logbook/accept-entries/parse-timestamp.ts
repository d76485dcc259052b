// Parses an entry's `ts`: the instant used for ordering, and the UTC text returned to readers (spec 2.10, 2.11).
import { formatSeconds, parseInstant } from '../parse-instant.ts'

export type Timestamp = {
  /** Microseconds since the Unix epoch; finer digits are cut. */
  readonly microseconds: number
  /** UTC, with as many fractional digits as were sent. */
  readonly utcText: string
  /** False: the text had no offset and was read as UTC. */
  readonly hasOffset: boolean
}

const earliest = 0
/** 2200-01-01T00:00:00Z. Microseconds up to here are exact in a double. */
const end = 7_258_118_400

/** Null if the text is not ISO 8601 with a time of day, or outside the years 1970 to 2199 in UTC. */
export function parseTimestamp(text: string): Timestamp | null {
  const instant = parseInstant(text)
  if (instant === null || instant.epochSeconds < earliest || instant.epochSeconds >= end) return null
  const { epochSeconds, fraction, hasOffset } = instant
  return {
    microseconds: epochSeconds * 1_000_000 + Number(fraction.slice(0, 6).padEnd(6, '0')),
    utcText: `${formatSeconds(epochSeconds)}${fraction === '' ? '' : `.${fraction}`}Z`,
    hasOffset,
  }
}
