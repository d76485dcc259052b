import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseUsd } from './money.ts'
import { costOf, type PriceTable, UnpricedUnitError, unitsOfTokens } from './price.ts'

const tiered: PriceTable = {
  tiers: [
    {
      aboveInputTokens: 0,
      rates: {
        inputText: parseUsd('1.25'),
        cachedInput: parseUsd('0.3125'),
        outputText: parseUsd(10),
        reasoning: parseUsd(10),
      },
    },
    {
      aboveInputTokens: 200_000,
      rates: {
        inputText: parseUsd('2.5'),
        cachedInput: parseUsd('0.625'),
        outputText: parseUsd(15),
        reasoning: parseUsd(15),
      },
    },
  ],
}

describe('costOf', () => {
  test.each([
    ['a plain call', { inputText: 1000, outputText: 500 }, 1000, 1_250_000 + 5_000_000],
    ['cached input', { inputText: 600, cachedInput: 400, outputText: 0 }, 1000, 750_000 + 125_000],
    ['reasoning', { inputText: 0, reasoning: 7 }, 0, 70_000],
    ['the last prompt of the first tier', { inputText: 200_000 }, 200_000, 250_000_000],
    ['the first prompt of the second tier', { inputText: 200_001 }, 200_001, 500_002_500],
    ['the second tier covers output as well', { inputText: 0, outputText: 1 }, 200_001, 15_000],
    ['nothing', {}, 0, 0],
  ])('%s', (_, units, inputTokens, expected) => {
    expect<number>(costOf(tiered, units, inputTokens)).toBe(expected)
  })

  test('rounds up once, after summing', () => {
    // 0.4 nano-dollars per unit: three units of each of two kinds are 2.4, not ⌈1.2⌉ + ⌈1.2⌉ = 4.
    const price: PriceTable = {
      tiers: [{ aboveInputTokens: 0, rates: { inputText: 400_000, outputText: 400_000 } }],
    }
    expect<number>(costOf(price, { inputText: 3, outputText: 3 }, 3)).toBe(3)
    expect<number>(costOf(price, { inputText: 1 }, 1)).toBe(1)
  })

  test('is exact when doubles are not', () => {
    const rate = 123_456_789_123
    const price: PriceTable = { tiers: [{ aboveInputTokens: 0, rates: { inputText: rate } }] }
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000_000 }), units => {
        const exact = (BigInt(units) * BigInt(rate) + 999_999n) / 1_000_000n
        expect(BigInt(costOf(price, { inputText: units }, 0))).toBe(exact)
      }),
    )
  })

  test('a used unit without a rate is an error, never a charge of 0; an unused one is not', () => {
    const price: PriceTable = { tiers: [{ aboveInputTokens: 0, rates: { inputText: 1_000_000 } }] }
    expect(() => costOf(price, { inputText: 1, outputText: 1 }, 1)).toThrow(UnpricedUnitError)
    expect<number>(costOf(price, { inputText: 1, outputText: 0 }, 1)).toBe(1)
  })

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('%p units are refused', units => {
    expect(() => costOf(tiered, { inputText: units }, 1)).toThrow(RangeError)
  })
})

test('token counts become disjoint units', () => {
  const usage = { inputTokens: 100, cachedTokens: 30, outputTokens: 50, reasoningTokens: 20 }
  expect(unitsOfTokens(usage)).toEqual({ inputText: 70, cachedInput: 30, outputText: 30, reasoning: 20 })
})

test('a part larger than its whole leaves 0 for the rest', () => {
  const usage = { inputTokens: 10, cachedTokens: 30, outputTokens: 5, reasoningTokens: 20 }
  expect(unitsOfTokens(usage)).toEqual({ inputText: 0, cachedInput: 30, outputText: 0, reasoning: 20 })
})

test('media and searches are separate units, subtracted from the text around them', () => {
  const usage = {
    inputTokens: 100,
    cachedTokens: 10,
    outputTokens: 50,
    reasoningTokens: 5,
    media: { inputAudio: 20, inputImage: 30, inputVideo: 1, outputAudio: 4, outputImage: 6 },
    searches: 2,
  }
  expect(unitsOfTokens(usage)).toEqual({
    inputText: 39,
    cachedInput: 10,
    inputAudio: 20,
    inputImage: 30,
    inputVideo: 1,
    outputText: 35,
    reasoning: 5,
    outputAudio: 4,
    outputImage: 6,
    search: 2,
  })
})

test('what a cache keeps is a unit for each lifetime, and is not charged as text again', () => {
  const usage = { inputTokens: 100, cachedTokens: 10, outputTokens: 5, reasoningTokens: 0 }
  expect(unitsOfTokens({ ...usage, cacheWrites: { cacheWrite5m: 40, cacheWrite1h: 20 } })).toEqual({
    inputText: 30,
    cachedInput: 10,
    cacheWrite5m: 40,
    cacheWrite1h: 20,
    outputText: 5,
    reasoning: 0,
  })
})
