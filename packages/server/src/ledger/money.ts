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

/**
 * Reads an amount in USD exactly, from its decimal text: `0.04`, `'12.5'`, `1e-7`. Throws RangeError if it is negative, finer than a
 * nano-dollar, over 9,007,199 USD, or not a decimal number.
 */
export function parseUsd(value: number | string): NanoDollars {
  const decimal = readDecimal(value)
  if (decimal.digits !== 0n && decimal.exponent < 0) {
    throw new RangeError(`${decimal.text} USD is finer than a nano-dollar: at most ${decimals} decimals.`)
  }
  return toNanoDollars(decimal)
}

/**
 * Like `parseUsd`, but rounds to the nearest nano-dollar, half up: sums that a client computed with floats, such as 0.1 + 0.2, are read as
 * intended. Throws RangeError for everything else that `parseUsd` refuses.
 */
export function roundUsd(value: number | string): NanoDollars {
  return toNanoDollars(readDecimal(value))
}

/** digits × 10^exponent nano-dollars, however it was written; the digits do not end in 0 unless they are 0. */
type Decimal = { readonly digits: bigint; readonly exponent: number; readonly text: string }

function readDecimal(value: number | string): Decimal {
  const text = String(value).trim()
  const match = /^(\d{1,30})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text)
  if (match === null)
    throw new RangeError(
      `"${text}" is not an amount in USD: write a decimal number of at least 0, such as 12.50.`,
    )
  const [, whole = '', fraction = '', exponent = '0'] = match
  const digits = (whole + fraction).replace(/0+$/, '')
  const dropped = whole.length + fraction.length - digits.length
  return {
    digits: BigInt(digits === '' ? '0' : digits),
    exponent: decimals + Number(exponent) - fraction.length + dropped,
    text,
  }
}

function toNanoDollars({ digits, exponent, text }: Decimal): NanoDollars {
  // An exponent has at most three digits, so no number here is longer than some thousand digits.
  const unit = 10n ** BigInt(Math.abs(exponent))
  const amount = exponent < 0 ? (2n * digits + unit) / (2n * unit) : digits * unit
  if (amount > BigInt(maximumUsd) * BigInt(nanoPerUsd)) {
    throw new RangeError(`${text} USD is too much: at most ${maximumUsd} USD.`)
  }
  return nanoDollars(Number(amount))
}

/** The amount in USD as a plain decimal without exponent or trailing zeros: `0.000000001`, `12.5`, `0`. */
export function formatUsd(amount: NanoDollars): string {
  let fraction = amount % nanoPerUsd
  const whole = (amount - fraction) / nanoPerUsd
  if (fraction === 0) return String(whole)
  let digits = decimals
  for (; fraction % 10 === 0; digits -= 1) fraction /= 10
  return `${whole}.${String(fraction).padStart(digits, '0')}`
}

/** For JSON only: the double nearest to the amount in USD, which prints as the same decimal up to 15 digits. */
export function toUsdNumber(amount: NanoDollars): number {
  return amount / nanoPerUsd
}
