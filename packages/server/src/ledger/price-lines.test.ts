// The lines behind a charge: exact, with the rates of the tier that the prompt reached, and none if they do not lead to the charge.
import { expect, test } from 'bun:test'
import { nanoDollars } from './money.ts'
import { costOf, listPriceLines, type PriceTable } from './price.ts'

const price: PriceTable = {
  tiers: [
    { aboveInputTokens: 0, rates: { inputText: 1_250_000_001, outputText: 10_000_000_000, song: 4e13 } },
    { aboveInputTokens: 200_000, rates: { inputText: 2_500_000_000, outputText: 15_000_000_000 } },
  ],
}

test('exact amounts add up to the charge, which is rounded up once', () => {
  const units = { inputText: 3, outputText: 7, reasoning: 0 }
  const cost = costOf(price, units, 3)
  expect(cost).toBe(nanoDollars(73_751))
  expect(listPriceLines(price, units, 3, cost)).toEqual([
    { unit: 'inputText', count: 3, rate: 1_250_000_001, amount: '3750.000003' },
    { unit: 'outputText', count: 7, rate: 10_000_000_000, amount: '70000' },
  ])
  expect(listPriceLines(price, { song: 2 }, 0, 80_000_000)).toMatchObject([{ amount: '80000000' }])
  expect(listPriceLines(price, {}, 0, 0)).toEqual([])
})

test('a long prompt is shown at the rates of its tier', () => {
  const units = { inputText: 200_001 }
  expect(listPriceLines(price, units, 200_001, costOf(price, units, 200_001))).toMatchObject([
    { rate: 2_500_000_000 },
  ])
})

test('there are none if prices have changed or a unit has no price', () => {
  expect(listPriceLines(price, { inputText: 3 }, 3, 9999)).toBeNull()
  expect(listPriceLines(price, { image: 1 }, 0, 5)).toBeNull()
})
