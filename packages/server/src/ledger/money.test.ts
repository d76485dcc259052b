import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatUsd, nanoDollars, parseUsd, roundUsd, toUsdNumber } from './money.ts'

const amount = fc.integer({ min: 0, max: 9_007_199_000_000_000 }).map(nanoDollars)

describe('parseUsd', () => {
  test.each([
    [0, 0],
    ['0', 0],
    ['0.000', 0],
    ['0e5', 0],
    [0.04, 40_000_000],
    ['12.5', 12_500_000_000],
    [' 7 ', 7_000_000_000],
    [1e-7, 100],
    [1e-9, 1],
    ['0.000000001', 1],
    ['1.0000000000000', 1_000_000_000],
    ['0012', 12_000_000_000],
    ['1e3', 1_000_000_000_000],
    [9_007_199, 9_007_199_000_000_000],
  ])('%p USD is %p nano-dollars', (text, expected) => {
    expect<number>(parseUsd(text)).toBe(expected)
  })

  test.each([
    [-1, 'not an amount'],
    ['-0.5', 'not an amount'],
    ['', 'not an amount'],
    ['.5', 'not an amount'],
    ['5.', 'not an amount'],
    ['1,5', 'not an amount'],
    ['$5', 'not an amount'],
    [Number.NaN, 'not an amount'],
    [Number.POSITIVE_INFINITY, 'not an amount'],
    ['0.0000000001', 'finer than a nano-dollar'],
    [0.1 + 0.2, 'finer than a nano-dollar'],
    ['1e-10', 'finer than a nano-dollar'],
    [9_007_200, 'too much'],
    ['1e300', 'too much'],
    ['9007199.000000001', 'too much'],
  ])('%p is refused: %s', (text, reason) => {
    expect(() => parseUsd(text)).toThrow(RangeError)
    expect(() => parseUsd(text)).toThrow(reason)
  })

  test('parses every amount that it formats, and as JSON sends it', () => {
    fc.assert(
      fc.property(amount, value => {
        expect(parseUsd(formatUsd(value))).toBe(value)
        expect(formatUsd(value)).toMatch(/^(0|[1-9]\d*)(\.\d{0,8}[1-9])?$/)
      }),
    )
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000_000_000 }).map(nanoDollars), value => {
        expect(parseUsd(JSON.parse(JSON.stringify(toUsdNumber(value))))).toBe(value)
      }),
    )
  })
})

describe('roundUsd', () => {
  test.each([
    [0.1 + 0.2, 300_000_000],
    [1.1 * 3, 3_300_000_000],
    ['0.0000000005', 1],
    ['0.00000000049999999999', 0],
    ['1e-10', 0],
    ['1e-999', 0],
    ['0.0000000015', 2],
    ['0.0000000025', 3],
    ['9007199.0000000004', 9_007_199_000_000_000],
    [12.5, 12_500_000_000],
  ])('%p USD is %p nano-dollars', (value, expected) => {
    expect<number>(roundUsd(value)).toBe(expected)
  })

  test.each([-1, Number.NaN, '1,5', '9007199.0000000005', '1e999'])('%p is refused', value => {
    expect(() => roundUsd(value)).toThrow(RangeError)
  })

  test('rounds to the nearest nano-dollar, halves up, for any further digits', () => {
    const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_007_198_000_000_000 }), digits, (whole, finer) => {
        const nano = nanoDollars(whole)
        const text = `${formatUsd(nano).split('.')[0]}.${String(whole % 1e9).padStart(9, '0')}`
        expect<number>(roundUsd(`${text}${finer.join('')}`)).toBe(whole + ((finer[0] ?? 0) >= 5 ? 1 : 0))
      }),
    )
  })

  test('a sum that a client computed with floats is the sum of its amounts', () => {
    const cents = fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(cents, amounts => {
        const sum = amounts.reduce((total, amount) => total + amount / 100, 0)
        const exact = amounts.reduce((total, amount) => total + amount, 0) * 10_000_000
        expect<number>(roundUsd(sum)).toBe(exact)
      }),
    )
  })
})

test.each([
  [0, '0'],
  [1, '0.000000001'],
  [40_000_000, '0.04'],
  [12_500_000_000, '12.5'],
  [1_000_000_000, '1'],
])('formats %p as %p', (value, text) => {
  expect(formatUsd(nanoDollars(value))).toBe(text)
})

test.each([-1, 0.5, Number.NaN, 2 ** 53])('%p is not an amount', value => {
  expect(() => nanoDollars(value)).toThrow(RangeError)
})

test('the sum of a million charges is exact', () => {
  const charge = parseUsd('0.000000333')
  let sum = nanoDollars(0)
  for (let count = 0; count < 1_000_000; count += 1) sum = nanoDollars(sum + charge)
  expect(formatUsd(sum)).toBe('0.333')
})
