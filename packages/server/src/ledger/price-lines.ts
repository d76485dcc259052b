// How the price of a call came about: unit × rate, one line for each unit, in exact parts of a nano-dollar.
import type { Exact } from './exact.ts'
import { exactCostOf, type PriceTable, productOf, ratesFor, type Unit, type Units } from './price.ts'

/** `rate`: nano-dollars for a million units. `amount`: nano-dollars, exact, with up to six places. */
export type PriceLine = {
  readonly unit: string
  readonly count: number
  readonly rate: number
  readonly amount: string
}

/**
 * The lines whose sum, rounded up, is `cost`. Null where these prices do not lead to it: they have changed since the call, or the call was
 * charged in another way.
 */
export function listPriceLines(
  price: PriceTable,
  units: Units,
  inputTokens: number,
  cost: number,
): PriceLine[] | null {
  const rates = ratesFor(price, inputTokens)
  const lines: PriceLine[] = []
  for (const [unit, count] of Object.entries(units)) {
    const rate = rates[unit as Unit]
    if (count === 0) continue
    if (rate === undefined) return null
    lines.push({ unit, count, rate, amount: writeMillionths(productOf(count, rate)) })
  }
  return Number(exactCostOf(price, units, inputTokens)) === cost ? lines : null
}

function writeMillionths(millionths: Exact): string {
  const digits = String(millionths).padStart(7, '0')
  const places = digits.slice(-6).replace(/0+$/, '')
  return places === '' ? digits.slice(0, -6) : `${digits.slice(0, -6)}.${places}`
}
