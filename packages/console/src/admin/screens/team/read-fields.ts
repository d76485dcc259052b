// What people type into fields of limits.
import { parseMoney } from '../../../format/money.ts'

/** Null for what is no whole number. */
export function readWhole(text: string): number | null {
  const digits = text.trim().replaceAll(',', '')
  if (!/^\d{1,15}$/.test(digits)) return null
  return Number(digits)
}

/** Null: no limit, for an empty field or `none`. Undefined: it is neither. */
export function readWholeOrNone(text: string): number | null | undefined {
  const given = text.trim().toLowerCase()
  if (given === '' || given === 'none') return null
  return readWhole(given) ?? undefined
}

/** Dollars. Null: no budget, for an empty field or `none`. Undefined: it is neither. */
export function readDollarsOrNone(text: string): number | null | undefined {
  const given = text.trim().toLowerCase()
  if (given === '' || given === 'none') return null
  const nano = parseMoney(given)
  return nano === null ? undefined : nano / 1_000_000_000
}

/** A span such as `12h`. Null: the field is empty. Undefined: it is no span. */
export function readSpan(text: string, units = 'smhdw'): string | null | undefined {
  const given = text.trim()
  if (given === '') return null
  return /^\d{1,6}[a-z]$/.test(given) && units.includes(given.slice(-1)) ? given : undefined
}
