// Parses the units of a row, which are stored as JSON.
import type { Units } from '../../ledger/price.ts'

/** None if the text is damaged: a start must not fail because of it. */
export function readUnits(text: string): Units {
  try {
    const units: unknown = JSON.parse(text)
    return typeof units === 'object' && units !== null ? units : {}
  } catch {
    return {}
  }
}
