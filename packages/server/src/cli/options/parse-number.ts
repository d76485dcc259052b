// Reads the numbers of options; what is wrong with one is said by commander, which names the option.
import { InvalidArgumentError } from 'commander'

/** USD, not negative. Throws InvalidArgumentError. */
export function parseBudget(text: string): number {
  const amount = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (Number.isFinite(amount)) return amount
  throw new InvalidArgumentError('Write an amount in USD, such as 50 or 12.5.')
}

/** Throws InvalidArgumentError that says what is allowed. */
export function parseInteger(minimum: number, maximum = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const range =
    maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`
  return text => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= minimum && value <= maximum) return value
    throw new InvalidArgumentError(`Write a whole number ${range}.`)
  }
}
