// Parses the values typed into limit fields.
import { parseMoney } from '../../../format/money.ts'

/** Null if the text is not a whole number. */
export function readWhole(text: string): number | null {
  const digits = text.trim().replaceAll(',', '')
  if (!/^\d{1,15}$/.test(digits)) return null
  return Number(digits)
}

/** Null (no limit) for an empty field or `none`; undefined if invalid. */
export function readWholeOrNone(text: string): number | null | undefined {
  const given = text.trim().toLowerCase()
  if (given === '' || given === 'none') return null
  return readWhole(given) ?? undefined
}

/** Dollars. Null (no budget) for an empty field or `none`; undefined if invalid. */
export function readDollarsOrNone(text: string): number | null | undefined {
  const given = text.trim().toLowerCase()
  if (given === '' || given === 'none') return null
  const nano = parseMoney(given)
  return nano === null ? undefined : nano / 1_000_000_000
}

/** A span such as `12h`. Null for an empty field; undefined if invalid. */
export function readSpan(text: string, units = 'smhdw'): string | null | undefined {
  const given = text.trim()
  if (given === '') return null
  return /^\d{1,6}[a-z]$/.test(given) && units.includes(given.slice(-1)) ? given : undefined
}
