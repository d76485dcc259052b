import { describe, expect, test } from 'bun:test'
import type { CallEstimate } from './admission.ts'
import { type BudgetLevel, decideBudget } from './decide-budget.ts'
import { nanoDollars } from './money.ts'

function buildBudget(
  level: BudgetLevel['level'],
  maximum: number,
  spent: number,
  held: number,
  endsAt: number | null = null,
): BudgetLevel {
  return { level, maximum: nanoDollars(maximum), spent: nanoDollars(spent), held: nanoDollars(held), endsAt }
}

const cost = (amount: number): CallEstimate => ({ kind: 'fixed', cost: nanoDollars(amount) })
const tokens: CallEstimate = {
  kind: 'tokens',
  count: 1,
  inputTokens: 0,
  price: { tiers: [{ aboveInputTokens: 0, rates: { inputText: 1_000_000, outputText: 1_000_000 } }] },
  askedOutput: 1000,
  minimumOutput: 256,
  reducible: true,
}

describe('decideBudget', () => {
  test.each(['team', 'key', 'key_model'] as const)(
    '%s: spent + held + estimate = budget passes, one nano more does not',
    level => {
      const levels = [buildBudget('team', 1_000_000, 0, 0), buildBudget(level, 100, 30, 20)]
      expect(decideBudget(levels, cost(50), 0)).toMatchObject({ admitted: true, grant: { amount: 50 } })
      expect(decideBudget(levels, cost(51), 0)).toMatchObject({
        refusal: { code: 'budget_held', level, limit: 100, used: 30, held: 20, retryAfterSeconds: 1 },
      })
      expect(decideBudget(levels, cost(70), 0)).toMatchObject({ refusal: { code: 'budget_held' } })
      expect(decideBudget(levels, cost(71), 0)).toMatchObject({ refusal: { code: 'budget_exceeded', level } })
    },
  )

  test('a spent budget gives its reset as the wait, but only if the call fits an unspent one', () => {
    const levels = [buildBudget('team', 100, 100, 0, 9_500)]
    expect(decideBudget(levels, cost(100), 0)).toMatchObject({
      refusal: { resetAt: 9_500, retryAfterSeconds: 10 },
    })
    expect(decideBudget(levels, cost(101), 0)).toMatchObject({
      refusal: { resetAt: 9_500, retryAfterSeconds: null },
    })
    expect(decideBudget([buildBudget('team', 100, 100, 0)], cost(1), 0)).toMatchObject({
      refusal: { resetAt: null, retryAfterSeconds: null },
    })
  })

  test('the cap is reduced by what is spent, at the tightest level', () => {
    const levels = [buildBudget('team', 2000, 1100, 0), buildBudget('key', 700, 100, 0)]
    expect<unknown>(decideBudget(levels, tokens, 0)).toEqual({
      admitted: true,
      grant: { outputCap: 600, amount: 600, reduced: true },
    })
  })

  test('the cap is not reduced by the holds of other calls: the call waits instead', () => {
    const levels = [buildBudget('team', 1000, 0, 1)]
    expect(decideBudget(levels, tokens, 0)).toMatchObject({ refusal: { code: 'budget_held' } })
  })

  test('no budget, or nothing to pay, always passes', () => {
    expect(decideBudget([], tokens, 0)).toMatchObject({
      admitted: true,
      grant: { outputCap: 1000, reduced: false },
    })
    const overspent = [buildBudget('team', 100, 120, 0)]
    expect(decideBudget(overspent, { kind: 'none' }, 0)).toMatchObject({
      admitted: true,
      grant: { amount: 0 },
    })
    expect(decideBudget(overspent, cost(1), 0)).toMatchObject({ refusal: { code: 'budget_exceeded' } })
  })

  test('a budget of 0 refuses every paid call', () => {
    expect(decideBudget([buildBudget('key', 0, 0, 0)], cost(1), 0)).toMatchObject({
      refusal: { code: 'budget_exceeded' },
    })
  })
})
