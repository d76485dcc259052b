// Decides whether the budgets allow one more call. The estimate is a ceiling, and spent + held + estimate never exceeds a budget.
import type { CallEstimate, LimitLevel, Refusal } from './admission.ts'
import { type NanoDollars, nanoDollars } from './money.ts'
import { decideDearestCap, decideOutputCap } from './output-cap.ts'

/** One budget that the call counts against; only levels that have a budget are listed. */
export type BudgetLevel = {
  readonly level: LimitLevel
  readonly maximum: NanoDollars
  /** Maximum of later periods, if a grant raises only this one; absent if it is the same. */
  readonly maximumAfter?: NanoDollars
  readonly spent: NanoDollars
  readonly held: NanoDollars
  /** End of the current period, Unix ms; null if it has none. */
  readonly endsAt: number | null
}

/** `outputCap` is null for calls that are not priced by tokens. */
export type BudgetGrant = {
  readonly amount: NanoDollars
  readonly outputCap: number | null
  readonly reduced: boolean
}

export type BudgetDecision =
  | { readonly admitted: true; readonly grant: BudgetGrant }
  | { readonly admitted: false; readonly refusal: Refusal }

// Money held by another call comes back when that call ends, usually within seconds.
const heldRetrySeconds = 1

/**
 * `budget_exceeded` if the call does not fit what is unspent, `budget_held` (retryable) if only held money is in the way. Throws
 * UnpricedUnitError if the call cannot be priced.
 */
export function decideBudget(
  levels: readonly BudgetLevel[],
  estimate: CallEstimate,
  now: number,
): BudgetDecision {
  const tightest = findTightest(levels)
  if (tightest === null) return { admitted: true, grant: estimateFreely(estimate) }
  const grant = estimateWithin(estimate, tightest.maximum - tightest.spent)
  if (grant === null) {
    return {
      admitted: false,
      refusal: buildRefusal('budget_exceeded', tightest, secondsUntilUnspent(levels, estimate, now)),
    }
  }
  if (estimate.kind === 'none') return { admitted: true, grant }
  for (const budget of levels) {
    // Compared by differences: sums of three amounts could pass 2^53.
    if (grant.amount > budget.maximum - budget.spent - budget.held) {
      return { admitted: false, refusal: buildRefusal('budget_held', budget, heldRetrySeconds) }
    }
  }
  return { admitted: true, grant }
}

/** Whole seconds until enough periods have ended for the call to fit every budget; null if none of them helps. */
function secondsUntilUnspent(
  levels: readonly BudgetLevel[],
  estimate: CallEstimate,
  now: number,
): number | null {
  const ends = levels.flatMap(({ endsAt }) => endsAt ?? []).sort((left, right) => left - right)
  for (const moment of ends) {
    const unspent = levels.map(({ maximum, maximumAfter = maximum, spent, endsAt }) =>
      endsAt !== null && endsAt <= moment ? maximumAfter : maximum - spent,
    )
    if (estimateWithin(estimate, Math.min(...unspent)) !== null)
      return Math.max(1, Math.ceil((moment - now) / 1000))
  }
  return null
}

function estimateFreely(estimate: CallEstimate): BudgetGrant {
  const grant = estimateWithin(estimate, Number.POSITIVE_INFINITY)
  if (grant === null) throw new Error('An estimate without any budget cannot be too much.')
  return grant
}

function findTightest(levels: readonly BudgetLevel[]): BudgetLevel | null {
  let tightest: BudgetLevel | null = null
  for (const budget of levels) {
    if (tightest === null || budget.maximum - budget.spent < tightest.maximum - tightest.spent)
      tightest = budget
  }
  return tightest
}

function estimateWithin(estimate: CallEstimate, headroom: number): BudgetGrant | null {
  switch (estimate.kind) {
    case 'none':
      return { amount: nanoDollars(0), outputCap: null, reduced: false }
    case 'fixed':
      return estimate.cost <= headroom ? { amount: estimate.cost, outputCap: null, reduced: false } : null
    case 'tokens':
      return estimate.alternatives === undefined
        ? decideOutputCap(estimate, headroom)
        : decideDearestCap(estimate, headroom)
  }
}

function buildRefusal(
  code: 'budget_exceeded' | 'budget_held',
  { level, maximum, spent, held, endsAt }: BudgetLevel,
  retryAfterSeconds: number | null,
): Refusal {
  return { code, level, limit: maximum, used: spent, held, resetAt: endsAt, retryAfterSeconds }
}
