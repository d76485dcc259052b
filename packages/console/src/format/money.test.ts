// Money as it is shown adds up, and is never made smaller than it is.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  formatAxisMoney,
  formatBudget,
  formatCost,
  formatExact,
  formatExactNano,
  formatForecast,
  formatMoney,
  parseMoney,
} from './money.ts'

describe('amounts are rounded to cents', () => {
  test.each([
    [0, '$0.00'],
    [1, '< $0.01'],
    [9_999_999, '< $0.01'],
    [10_000_000, '$0.01'],
    [10_000_001, '$0.02'],
    [23_870_000_000, '$23.87'],
    [1_234_567_890_000_000, '$1,234,567.89'],
    [-5_000_000_000, '−$5.00'],
  ])('%d nano-dollars are shown as %s', (nano, shown) => {
    expect(formatMoney(nano)).toBe(shown)
  })

  test('an amount over the budget is shown apart from the amount left', () => {
    expect(formatBudget(25_000_000_041, 25_000_000_000)).toEqual({
      spent: '$25.01',
      left: '$0.00',
      budget: '$25.00',
      over: '< $0.01',
    })
  })

  test('spent and left add up to the budget, even with fractions of a cent', () => {
    const cents = (shown: string) => Number(shown.replaceAll(/[$,.]/g, ''))
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (dollars, share) => {
          const budget = dollars * 1e9
          const { spent, left } = formatBudget(Math.round(budget * share), budget)
          if (spent.startsWith('<') || left.startsWith('<')) return
          expect(cents(spent) + cents(left)).toBe(dollars * 100)
        },
      ),
    )
  })
})

test.each([
  [20_141_000, '$0.02', '$0.020141'],
  [2_394_770, '$0.0024', '$0.00239477'],
  [34_853_400, '$0.035', '$0.0348534'],
  [124_487_800, '$0.12', '$0.1244878'],
  [9_999_999, '$0.01', '$0.009999999'],
  [41, '$0.000000041', '$0.000000041'],
  [0, '$0.00', '$0.00'],
  [1_500_000_000, '$1.50', '$1.50'],
  [1_234_567_890_123, '$1,234.57', '$1,234.567890123'],
  [-2_394_770, '−$0.0024', '−$0.00239477'],
])('a call of %d nano-dollars costs %s, exactly %s', (nano, shown, exact) => {
  expect([formatCost(nano), formatExact(nano)]).toEqual([shown, exact])
})

test('forecasts are rounded to a plausible precision', () => {
  expect([816_400_000_000, 9_994_000_000].map(formatForecast)).toEqual(['$816', '$9.99'])
  expect([0, 250_000_000, 1_500_000_000, 12_500_000_000_000].map(formatAxisMoney)).toEqual([
    '$0',
    '$0.25',
    '$1.5',
    '$12.5k',
  ])
})

test.each([
  ['5', 5_000_000_000],
  ['$1,200.50', 1_200_500_000_000],
  ['0.000000001', 1],
  ['five', null],
  ['-5', null],
  ['1e3', null],
  ['', null],
  ['99999999999999', null],
])('%p is read as %p nano-dollars', (text, nano) => {
  expect(parseMoney(text)).toBe(nano)
})

test.each([
  ['4495700', '$0.0044957'],
  ['3750.000003', '$0.000003750000003'],
  ['12000000000', '$12.00'],
  ['1234567890123.5', '$1,234.5678901235'],
  ['0', '$0.00'],
])('%s nano-dollars, exact, are %s', (amount, shown) => {
  expect(formatExactNano(amount)).toBe(shown)
})
