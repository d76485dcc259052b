import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { TokenEstimate } from './admission.ts'
import { decideDearestCap, decideOutputCap } from './output-cap.ts'
import { costOf, type PriceTable, UnpricedUnitError, unitsOfTokens } from './price.ts'

const rate = fc.integer({ min: 1, max: 60_000_000_000 })
const rates = fc.record({ inputText: rate, cachedInput: rate, outputText: rate, reasoning: rate })
const table = fc.tuple(rates, rates, fc.integer({ min: 1, max: 5_000 })).map(
  ([first, second, threshold]): PriceTable => ({
    tiers: [
      { aboveInputTokens: 0, rates: first },
      { aboveInputTokens: threshold, rates: second },
    ],
  }),
)
// The most expensive call takes all of a part or none of it, so the ends of the range come often.
const share = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }))
const price: PriceTable = {
  tiers: [
    { aboveInputTokens: 0, rates: { inputText: 1_000_000, outputText: 2_000_000 } },
    { aboveInputTokens: 100, rates: { inputText: 2_000_000, outputText: 4_000_000 } },
  ],
}
// 10 input tokens of 1 nano-dollar and up to 1,000 output tokens of 2: 2,010 in all.
const estimate: TokenEstimate = {
  kind: 'tokens',
  count: 1,
  inputTokens: 10,
  price,
  askedOutput: 1000,
  minimumOutput: 256,
  reducible: true,
}

describe('decideOutputCap', () => {
  test.each<[string, Partial<TokenEstimate>, number, [cap: number, amount: number] | null]>([
    ['no budget', {}, Number.POSITIVE_INFINITY, [1000, 2010]],
    ['fits exactly', {}, 2010, [1000, 2010]],
    ['one nano-dollar short', {}, 2009, [999, 2008]],
    ['the smallest permitted cap', {}, 522, [256, 522]],
    ['under the smallest permitted cap', {}, 521, null],
    ['may not be reduced', { reducible: false }, 2009, null],
    ['asked for less than the useful minimum', { askedOutput: 5, minimumOutput: 5 }, 20, [5, 20]],
    ['asked for less than that, one short', { askedOutput: 5, minimumOutput: 5 }, 19, null],
    ['choices share the headroom evenly', { count: 3 }, 3000, [495, 3000]],
    ['a long prompt is in the expensive tier', { inputTokens: 101 }, 10_000, [1000, 4202]],
    ['a long prompt reduces the cap by the expensive tier', { inputTokens: 101 }, 4201, [999, 4198]],
    ['overspent', {}, -5, null],
    ['nothing left', {}, 0, null],
  ])('%s', (_, changes, headroom, expected) => {
    const capped = decideOutputCap({ ...estimate, ...changes }, headroom)
    if (expected === null) expect(capped).toBeNull()
    else expect<unknown>([capped?.outputCap, capped?.amount]).toEqual(expected)
    const asked = changes.askedOutput ?? estimate.askedOutput
    if (capped !== null) expect(capped.reduced).toBe(capped.outputCap < asked)
  })

  test('an unpriced output is an error', () => {
    const free: PriceTable = { tiers: [{ aboveInputTokens: 0, rates: { inputText: 1 } }] }
    expect(() => decideOutputCap({ ...estimate, price: free }, 1)).toThrow(UnpricedUnitError)
  })

  // Shown to guard: it fails if the ceiling uses only `outputText` as the output rate, only `inputText` as the input rate, or only the
  // rates of the last tier (a longer prompt can be the cheaper one).
  test('a call within its estimate costs at most the amount, and the amount fits', () => {
    fc.assert(
      fc.property(
        fc.record({
          price: table,
          count: fc.integer({ min: 1, max: 4 }),
          inputTokens: fc.nat(10_000),
          askedOutput: fc.integer({ min: 1, max: 10_000 }),
        }),
        fc.nat(1_000_000_000),
        fc.tuple(share, share),
        fc.tuple(share, share),
        (call, headroom, [inputShare, cachedShare], [outputShare, reasoningShare]) => {
          const minimumOutput = Math.min(call.askedOutput, 256)
          const capped = decideOutputCap(
            { ...call, kind: 'tokens', minimumOutput, reducible: true },
            headroom,
          )
          if (capped === null) return
          expect(capped.amount).toBeLessThanOrEqual(headroom)
          expect(capped.outputCap).toBeGreaterThanOrEqual(minimumOutput)
          const inputTokens = Math.floor(call.inputTokens * inputShare)
          const outputTokens = Math.floor(capped.outputCap * outputShare)
          const units = unitsOfTokens({
            inputTokens,
            cachedTokens: Math.floor(inputTokens * cachedShare),
            outputTokens,
            reasoningTokens: Math.floor(outputTokens * reasoningShare),
          })
          expect(costOf(call.price, units, inputTokens) * call.count).toBeLessThanOrEqual(capped.amount)
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('a reduced cap is the largest that fits', () => {
    fc.assert(
      fc.property(
        table,
        fc.nat(2_000),
        fc.integer({ min: 1, max: 3 }),
        fc.nat(500_000_000),
        (anyPrice, inputTokens, count, headroom) => {
          const call = {
            ...estimate,
            price: anyPrice,
            inputTokens,
            count,
            askedOutput: 5000,
            minimumOutput: 1,
          }
          const capped = decideOutputCap(call, headroom)
          if (capped?.reduced !== true) return
          expect(
            decideOutputCap({ ...call, askedOutput: capped.outputCap + 1, reducible: false }, headroom),
          ).toBeNull()
        },
      ),
    )
  })
})

describe('decideDearestCap', () => {
  const priced = (input: number, output: number): PriceTable => ({
    tiers: [{ aboveInputTokens: 0, rates: { inputText: input, outputText: output } }],
  })
  const cheap = { ...estimate, price: priced(1_000_000, 1_000_000) }
  const dear = { ...estimate, price: priced(1_000_000, 4_000_000) }

  test.each<[string, TokenEstimate, readonly TokenEstimate[], number, [number, number] | null]>([
    ['none', estimate, [], 2010, [1000, 2010]],
    ['a cheaper one', estimate, [cheap], 2010, [1000, 2010]],
    ['a more expensive one', estimate, [dear], 4010, [1000, 4010]],
    ['a more expensive one that does not fit whole', estimate, [dear], 2010, [500, 2010]],
    ['the most expensive of two', estimate, [dear, cheap], 2010, [500, 2010]],
    [
      'one that allows less output',
      estimate,
      [{ ...dear, askedOutput: 100, minimumOutput: 100 }],
      4010,
      [1000, 2010],
    ],
    ['one that does not fit at all', estimate, [dear], 1000, null],
  ])('%s', (_, own, alternatives, headroom, expected) => {
    const decided = decideDearestCap({ ...own, alternatives }, headroom)
    expect<unknown>(decided && [decided.outputCap, decided.amount]).toEqual(expected)
  })

  // A guard of money: it fails if the amount is that of the requested model.
  test('any model that serves within the cap costs at most the amount, and the amount fits', () => {
    const any = fc.record({
      price: table,
      inputTokens: fc.nat(10_000),
      askedOutput: fc.integer({ min: 1, max: 5000 }),
    })
    fc.assert(
      fc.property(fc.array(any, { minLength: 2, maxLength: 4 }), fc.nat(10_000_000), (models, headroom) => {
        const [own, ...alternatives] = models.map(each => ({ ...estimate, ...each, minimumOutput: 1 }))
        if (own === undefined) return
        const decided = decideDearestCap({ ...own, alternatives }, headroom)
        if (decided === null) return
        expect(decided.amount).toBeLessThanOrEqual(headroom)
        for (const { price, inputTokens, askedOutput } of models) {
          const usage = {
            inputTokens,
            outputTokens: Math.min(decided.outputCap, askedOutput),
            cachedTokens: 0,
            reasoningTokens: 0,
          }
          expect(costOf(price, unitsOfTokens(usage), inputTokens)).toBeLessThanOrEqual(decided.amount)
        }
      }),
    )
  })
})
