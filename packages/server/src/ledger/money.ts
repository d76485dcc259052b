// Money as whole nano-dollars, so that no float ever adds, multiplies or rounds an amount.

declare const nanoDollarsBrand: unique symbol

/** 1e-9 USD as a non-negative safe integer. */
export type NanoDollars = number & { readonly [nanoDollarsBrand]: true }

const decimals = 9
const nanoPerUsd = 1_000_000_000
const maximumUsd = 9_007_199

/** Throws RangeError unless `value` is an integer from 0 to 2^53 − 1. */
export function nanoDollars(value: number): NanoDollars {
  if (!isNanoDollars(value)) {
    throw new RangeError(
      `${value} is not an amount: nano-dollars are whole numbers from 0 to ${Number.MAX_SAFE_INTEGER}.`,
    )
  }
  return value
}

function isNanoDollars(value: number): value is NanoDollars {
  return Number.isSafeInteger(value) && value >= 0
}

/** Throws RangeError when the sum is no longer exact (over 9 million USD). */
export function addMoney(left: NanoDollars, right: NanoDollars): NanoDollars {
  return nanoDollars(left + right)
}

/**
 * Reads an amount in USD exactly, by its decimal text: `0.04`, `'12.5'`, `1e-7`.
 * Throws RangeError when it is negative, finer than a nano-dollar, over 9,007,199 USD, or not a decimal number.
 */
export function parseUsd(value: number | string): NanoDollars {
  const text = String(value).trim()
  const match = /^(\d{1,30})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text)
  if (match === null)
    throw new RangeError(
      `"${text}" is not an amount in USD: write a decimal number of at least 0, such as 12.50.`,
    )
  const [, whole = '', fraction = '', exponent = '0'] = match
  // digits × 10^scale nano-dollars is the amount, whatever the way it was written.
  const digits = (whole + fraction).replace(/^0+(?=\d)/, '')
  const scale = decimals + Number(exponent) - fraction.length
  if (/^0+$/.test(digits)) return nanoDollars(0)
  const significant = digits.replace(/0+$/, '')
  const zeros = scale + digits.length - significant.length
  if (zeros < 0)
    throw new RangeError(`${text} USD is finer than a nano-dollar: at most ${decimals} decimals.`)
  const isTooLong = significant.length + zeros > String(Number.MAX_SAFE_INTEGER).length
  const amount = isTooLong ? null : BigInt(significant) * 10n ** BigInt(zeros)
  if (amount === null || amount > BigInt(maximumUsd) * BigInt(nanoPerUsd)) {
    throw new RangeError(`${text} USD is too much: at most ${maximumUsd} USD.`)
  }
  return nanoDollars(Number(amount))
}

/** The amount in USD as a plain decimal without exponent or trailing zeros: `0.000000001`, `12.5`, `0`. */
export function formatUsd(amount: NanoDollars): string {
  const digits = String(amount).padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  const whole = digits.slice(0, -decimals)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** For JSON only: the double nearest to the amount in USD, which prints as the same decimal up to 15 digits. */
export function toUsdNumber(amount: NanoDollars): number {
  return amount / nanoPerUsd
}
