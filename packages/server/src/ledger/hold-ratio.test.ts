// How far a hold is raised: by the ratio, never beyond the price of the whole context, never below the estimate.
//
// Shown to fail without the bound (an absurd ratio held more than the call can cost), and with a ratio on the input alone.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildModel } from '../limits/testing/build-parties.ts'
import type { TokenEstimate } from './admission.ts'
import { decideBudget } from './decide-budget.ts'
import { costOfContext, oneInMillionths, raiseEstimate, ratioOf } from './hold-ratio.ts'
import { nanoDollars } from './money.ts'

/** 1,000 nano-dollars a token of input, 4,000 of output: the whole context costs 1,800,000. */
const model = buildModel({ contextLimit: 1000, maxOutput: 200 })
const tokens = (changes: Partial<TokenEstimate> = {}): TokenEstimate => ({
  kind: 'tokens',
  count: 1,
  inputTokens: 10,
  price: model.price,
  askedOutput: 10,
  minimumOutput: 1,
  reducible: true,
  ...changes,
})
const fixed = (cost: number) => ({ kind: 'fixed', cost: nanoDollars(cost) }) as const
const heldFor = (estimate: Parameters<typeof raiseEstimate>[0], ratio: number, by = model) => {
  const raised = raiseEstimate(estimate, ratio, by)
  const decision = decideBudget([], raised.estimate, 0)
  return { held: decision.admitted ? Number(decision.grant.amount) : null, ratio: raised.ratio }
}

test('the maximum is a context full of the most expensive input, plus the longest output', () => {
  expect(Number(costOfContext(model))).toBe(1_800_000)
})

describe('a hold', () => {
  test.each([
    ['without a ratio', fixed(50_000), 1_000_000, 50_000],
    ['by a ratio', fixed(50_000), 2_500_000, 125_000],
    ['by a ratio, rounded up', fixed(3), 1_500_001, 5],
    ['at most for the whole context', fixed(50_000), 900_000_000, 1_800_000],
    ['that is already above it', fixed(2_000_000), 9_000_000, 2_000_000],
    ['of nothing', fixed(0), 9_000_000, 0],
    ['of tokens, output included', tokens(), 3_000_000, 150_000],
    ['of tokens for the whole context', tokens(), 900_000_000, 1_800_000],
    ['of multiple choices', tokens({ count: 2 }), 900_000_000, 3_600_000],
    [
      'that covers a more expensive fallback',
      tokens({ alternatives: [tokens({ inputTokens: 60 })] }),
      2_000_000,
      200_000,
    ],
  ] as const)('%s', (_, estimate, ratio, held) => expect(heldFor(estimate, ratio).held).toBe(held))

  test('that is not billed by tokens stays', () => {
    const tiers = [{ aboveInputTokens: 0, rates: { song: 80_000_000_000_000 } }] as const
    expect(heldFor(fixed(80_000_000), 5_000_000, buildModel({ price: { tiers } })).held).toBe(80_000_000)
  })

  test('raised by the ratio of a use covers that use, if the context does', () => {
    const amounts = fc.integer({ min: 1, max: 1_800_000 })
    fc.assert(
      fc.property(amounts, amounts, (base, used) => {
        const { held, ratio } = heldFor(fixed(base), ratioOf(BigInt(used), base, oneInMillionths))
        expect(held).toBeGreaterThanOrEqual(Math.max(base, used))
        expect(held).toBeLessThanOrEqual(1_800_000)
        expect(ratio).toBeGreaterThanOrEqual(oneInMillionths)
      }),
    )
  })

  test('raised a second time covers the second use too', () => {
    const uses = fc.integer({ min: 1, max: 1_800_000 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), uses, uses, (input, first, second) => {
        const estimate = tokens({ inputTokens: input })
        const base = heldFor(estimate, oneInMillionths)
        const once = heldFor(estimate, ratioOf(BigInt(first), base.held ?? 0, base.ratio))
        const twice = heldFor(estimate, ratioOf(BigInt(second), once.held ?? 0, once.ratio))
        expect(twice.held).toBeGreaterThanOrEqual(second)
        expect(twice.held).toBeLessThanOrEqual(1_800_000)
      }),
    )
  })
})
