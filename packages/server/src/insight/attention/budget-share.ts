// The spent share of a budget, as conditions evaluate and show it.
import { type NanoDollars, nanoDollars } from '../../ledger/money.ts'

const lowShare = 0.8
/** A budget is rarely spent to the last nano-dollar, because no call fits into the rest. Rounded to whole per cent this is 100. */
const spentShare = 0.995

/** A budget of zero is a decision, not news. */
export function judgeBudget(spent: NanoDollars, budget: NanoDollars): 'low' | 'spent' | null {
  if (budget === 0 || spent < budget * lowShare) return null
  return spent < budget * spentShare ? 'low' : 'spent'
}

/** No one counts a budget in nano-dollars. The rest is never shown as more than it is. */
export function roundToCent(amount: NanoDollars): NanoDollars {
  const rounded = Math.ceil(amount / nanoPerCent) * nanoPerCent
  // A correction may have raised it to the max that can be counted.
  return Number.isSafeInteger(rounded) ? nanoDollars(rounded) : amount
}

const nanoPerCent = 10_000_000

/** Rounded down, so that 99 % is not shown as 100 %. */
export function percentOf(part: number, whole: number): number {
  return Math.floor((part / whole) * 100)
}
