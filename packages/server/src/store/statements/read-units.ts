// Reads the units of a row, which are JSON there.
import type { Units } from '../../ledger/price.ts'

/** None where the text is damaged: a start must not fail at it. */
export function readUnits(text: string): Units {
  try {
    const units: unknown = JSON.parse(text)
    return typeof units === 'object' && units !== null ? units : {}
  } catch {
    return {}
  }
}
