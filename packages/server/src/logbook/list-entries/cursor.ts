// Parses and formats the `before` of a page: a plain instant, or the exact place where the last page ended (spec 4.2).
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { TeamPosition } from '../../store/statements/read-newest-entries.ts'
import { formatSeconds, parseInstant } from '../parse-instant.ts'

/** A place in descending order of (time, number); the page holds what comes after it. */
export type Position = { readonly tsMicros: number; readonly seq: number }

const secondDigits = 6
const seqDigits = 12

/** ISO 8601 with exactly 18 fractional digits: six of microseconds, twelve of the entry's number. */
export function formatCursor({ tsMicros, seq }: Position): string {
  const seconds = Math.floor(tsMicros / 1_000_000)
  const micros = String(tsMicros - seconds * 1_000_000).padStart(secondDigits, '0')
  return `${formatSeconds(seconds)}.${micros}${String(seq).padStart(seqDigits, '0')}Z`
}

/**
 * Null for an empty text. A time with 18 fractional digits is a cursor. Any other is an instant, rounded up to a microsecond, and
 * the page holds what is strictly earlier. Throws ApiError `invalid_request`.
 */
export function parseBefore(text: string): Position | null {
  if (text === '') return null
  const instant = parseInstant(restoreText(text))
  if (instant === null) {
    throw invalidRequest(
      'before',
      "'before' must be ISO 8601 such as 2026-11-21T18:30:00+09:00, or the next_before of a page.",
    )
  }
  const { epochSeconds, fraction } = instant
  const micros = Number(fraction.slice(0, secondDigits).padEnd(secondDigits, '0'))
  const rest = fraction.slice(secondDigits)
  if (fraction.length === secondDigits + seqDigits) {
    return { tsMicros: toSafeMicros(epochSeconds, micros), seq: Number(rest) }
  }
  const roundedUp = /[1-9]/.test(rest) ? micros + 1 : micros
  // Numbers start at 1, so position 0 excludes every entry of this microsecond.
  return { tsMicros: toSafeMicros(epochSeconds, roundedUp), seq: 0 }
}

/** The cursor of a team, followed by the team that owned the last entry: `…Z~red`. */
export function formatTeamCursor(place: TeamPosition & { readonly teamId: string }): string {
  return `${formatCursor({ tsMicros: place.atMicros, seq: place.seq })}~${place.teamId}`
}

/** Like `parseBefore`, for the cursor over all teams. Throws ApiError `invalid_request`. */
export function parseTeamBefore(text: string): TeamPosition | null {
  const [, cursor, teamId = null] = teamCursor.exec(text) ?? []
  const position = parseBefore(cursor ?? text)
  return position === null ? null : { atMicros: position.tsMicros, seq: position.seq, teamId }
}

const teamCursor = /^([^~]+\.\d{18}Z)~([A-Za-z0-9][A-Za-z0-9._-]{0,127})$/

/** A plus sign that was not encoded arrives as a space; a date alone is its first moment in UTC. */
function restoreText(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return `${text}T00:00:00Z`
  return text.replace(/^(.{11,}) (\d{2}(?::?\d{2})?)$/, '$1+$2')
}

/** Times outside the range of entries still mean "all" or "none". */
function toSafeMicros(epochSeconds: number, micros: number): number {
  const exact = epochSeconds * 1_000_000 + micros
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, exact))
}
