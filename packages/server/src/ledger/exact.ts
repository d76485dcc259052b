// Exact arithmetic on whole numbers of at least 0: a plain number while it is exact, a bigint beyond 2^53 − 1. Nearly all amounts stay
// plain; with bigints alone a call allocated 19 of them on the heap.

/** A number is a safe integer. Compare with `<` and `>` only, because `===` is false between a number and a bigint. */
export type Exact = number | bigint

/** Throws RangeError for anything but a whole number. */
export function multiplyExactly(left: number, right: number): Exact {
  const product = left * right
  // A product above 2^53 − 1 is never rounded to below 2^53, so one that looks safe is exact.
  if (Number.isInteger(left) && Number.isInteger(right) && Number.isSafeInteger(product)) return product
  return BigInt(left) * BigInt(right)
}

export function addExactly(left: Exact, right: Exact): Exact {
  if (typeof left === 'number' && typeof right === 'number') {
    const sum = left + right
    if (Number.isSafeInteger(sum)) return sum
  }
  return BigInt(left) + BigInt(right)
}

/** `left` times a small whole number. */
export function timesExactly(left: Exact, right: number): Exact {
  return typeof left === 'number' ? multiplyExactly(left, right) : left * BigInt(right)
}

/** The quotient, rounded up to a whole number. `divisor` is a whole number above 0. */
export function divideRoundingUp(dividend: Exact, divisor: number): Exact {
  if (typeof dividend === 'bigint') return (dividend + BigInt(divisor) - 1n) / BigInt(divisor)
  // Up to 2^53 a quotient with a remainder is at least 1 ÷ divisor away from a whole number, and rounding moves it by less.
  return Math.ceil(dividend / divisor)
}
