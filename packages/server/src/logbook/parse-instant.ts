// Reads an ISO 8601 date with time of day, exactly: whole seconds in UTC and the digits of the fraction.

export type Instant = {
  /** Whole seconds since the Unix epoch, in UTC. */
  readonly epochSeconds: number
  /** The digits after the decimal sign, as sent; empty if none. */
  readonly fraction: string
  readonly hasOffset: boolean
}

const maximumLength = 64
const pattern =
  /^(\d{4})(-?)(\d{2})\2(\d{2})[Tt ](\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d+))?)? ?(?:([Zz])|([+-])(\d{2})(?::?(\d{2}))?)?$/

/** Null if the text is not a date with a time of day. Second 60, a leap second, is the second after 59. */
export function parseInstant(text: string): Instant | null {
  const match = text.length > maximumLength ? null : pattern.exec(text)
  if (match === null) return null
  const part = (group: number) => Number(match[group] ?? 0)
  const [year, month, day, hour, minute, second] = [part(1), part(3), part(4), part(5), part(6), part(7)]
  const [offsetHour, offsetMinute] = [part(11), part(12)]
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return null
  const midnight = new Date(0)
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  midnight.setUTCFullYear(year, month - 1, day)
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return null
  const sign = match[10] === '-' ? -1 : 1
  const offsetSeconds = sign * (offsetHour * 3600 + offsetMinute * 60)
  const secondsOfDay = hour * 3600 + minute * 60 + second
  return {
    epochSeconds: midnight.getTime() / 1000 + secondsOfDay - offsetSeconds,
    fraction: match[8] ?? '',
    hasOffset: match[9] !== undefined || match[10] !== undefined,
  }
}

/** `2026-11-21T09:30:00`, in UTC. */
export function formatSeconds(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString().slice(0, 19)
}

/** Microseconds since the epoch as `2026-11-21T09:30:00.000001Z`. */
export function formatMicroseconds(microseconds: number): string {
  const seconds = Math.floor(microseconds / 1_000_000)
  const rest = microseconds - seconds * 1_000_000
  return `${formatSeconds(seconds)}.${String(rest).padStart(6, '0')}Z`
}
