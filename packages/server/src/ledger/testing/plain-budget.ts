// Decides budgets a second time, by trying every output cap in turn, as a check on the ledger's own arithmetic.
import type { CallEstimate, Refusal, TokenEstimate } from '../admission.ts'
import type { BudgetLevel } from '../decide-budget.ts'
import { nanoDollars } from '../money.ts'

export type PlainGrant = {
  readonly amount: number
  readonly outputCap: number | null
  readonly reduced: boolean
}

export type PlainBudgetDecision =
  | { readonly admitted: true; readonly grant: PlainGrant }
  | { readonly admitted: false; readonly refusal: Refusal }

export function decidePlainBudget(
  levels: readonly BudgetLevel[],
  estimate: CallEstimate,
  now: number,
): PlainBudgetDecision {
  const grant = grantWithin(estimate, unspent(levels))
  if (grant === null) {
    const [tightest] = levels.toSorted((left, right) => unspent([left]) - unspent([right]))
    if (tightest === undefined) throw new Error('Without a budget every call fits.')
    return refuse('budget_exceeded', tightest, secondsUntilItFits(levels, estimate, now))
  }
  if (estimate.kind === 'none') return { admitted: true, grant }
  const full = levels.find(({ maximum, spent, held }) => spent + held + grant.amount > maximum)
  return full === undefined ? { admitted: true, grant } : refuse('budget_held', full, 1)
}

function refuse(
  code: 'budget_exceeded' | 'budget_held',
  { level, maximum, spent, held, endsAt }: BudgetLevel,
  retryAfterSeconds: number | null,
): PlainBudgetDecision {
  const refusal = { code, level, limit: maximum, used: spent, held, resetAt: endsAt, retryAfterSeconds }
  return { admitted: false, refusal }
}

function unspent(levels: readonly Pick<BudgetLevel, 'maximum' | 'spent'>[]): number {
  return Math.min(Number.POSITIVE_INFINITY, ...levels.map(({ maximum, spent }) => maximum - spent))
}

/** The first end of a period after which no budget is in the way, if there is one. */
function secondsUntilItFits(
  levels: readonly BudgetLevel[],
  estimate: CallEstimate,
  now: number,
): number | null {
  const ends = levels.flatMap(({ endsAt }) => endsAt ?? []).toSorted((left, right) => left - right)
  const helps = ends.find(moment => {
    const then = levels.map(({ maximum, maximumAfter, spent, endsAt }) =>
      endsAt !== null && endsAt <= moment
        ? { maximum: maximumAfter ?? maximum, spent: nanoDollars(0) }
        : { maximum, spent },
    )
    return grantWithin(estimate, unspent(then)) !== null
  })
  return helps === undefined ? null : Math.max(1, Math.ceil((helps - now) / 1000))
}

function grantWithin(estimate: CallEstimate, headroom: number): PlainGrant | null {
  if (estimate.kind === 'none') return { amount: 0, outputCap: null, reduced: false }
  if (estimate.kind === 'fixed')
    return estimate.cost <= headroom ? { amount: estimate.cost, outputCap: null, reduced: false } : null
  for (let outputCap = estimate.askedOutput; ; outputCap -= 1) {
    const amount = priceOf(estimate, outputCap)
    const reduced = outputCap < estimate.askedOutput
    if (amount <= headroom) return { amount, outputCap, reduced }
    if (!estimate.reducible || outputCap <= Math.max(1, estimate.minimumOutput)) return null
  }
}

/** In plain numbers: tests keep amounts far below 2^53. */
function priceOf({ inputTokens, price, count }: TokenEstimate, outputCap: number): number {
  const reachable = price.tiers.filter(
    ({ aboveInputTokens }, index) => index === 0 || aboveInputTokens < inputTokens,
  )
  const inputRate = Math.max(
    ...reachable.map(({ rates }) => Math.max(rates.inputText ?? 0, rates.cachedInput ?? 0)),
  )
  const outputRate = Math.max(
    ...reachable.map(({ rates }) => Math.max(rates.outputText ?? 0, rates.reasoning ?? 0)),
  )
  return count * Math.ceil((inputTokens * inputRate + outputCap * outputRate) / 1_000_000)
}
