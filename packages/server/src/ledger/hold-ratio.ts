// Raises the hold of a kind of call that once used more than its hold: by the worst ratio seen, at most to the price of the full context.
import type { CallEstimate, TokenEstimate } from './admission.ts'
import { inputUnits, outputUnits } from './count-tokens.ts'
import { decideBudget } from './decide-budget.ts'
import { addExactly } from './exact.ts'
import { type NanoDollars, nanoDollars } from './money.ts'
import { dearestRate, type PriceTable, productOf, roundUpToNano, type Unit, type Units } from './price.ts'

/** What a hold was computed from. `counted`: the upstream counted the input. */
export type HoldMedium = 'text' | 'image' | 'audio' | 'document' | 'counted'

/** Calls that are measured in the same way, and so have the same errors. */
export type HoldBasis = {
  readonly teamId: string
  /** The requested model, even if a fallback served the call. */
  readonly modelId: string
  readonly endpoint: string
  readonly medium: HoldMedium
}

/** Plausible usage above the hold. */
export type HoldExcess = {
  readonly modelId: string
  readonly medium: HoldMedium
  /** Nano-dollars above the hold. */
  readonly amount: number
  /** Usage divided by the hold as it would have been without a ratio, in millionths. */
  readonly ratio: number
}

/** Sum of what calls of one basis used above their holds. */
export type UnchargedSum = HoldBasis & {
  /** Nano-dollars, over all time. */
  readonly uncharged: number
  /** Since an organiser last cleared it. */
  readonly open: number
  /** In millionths: the factor by which later holds are raised. */
  readonly ratio: number
  /** Number of the directory change. */
  readonly version: number
}

export function sumUncharged(sums: readonly UnchargedSum[]): number {
  return sums.reduce((total, { uncharged }) => total + uncharged, 0)
}

export const oneInMillionths = 1_000_000

/** `ratio`: the factor by which the hold was actually raised. */
export type RaisedEstimate = { readonly estimate: CallEstimate; readonly ratio: number }

/** Throws UnpricedUnitError if the call cannot be priced. */
export function raiseEstimate(
  estimate: CallEstimate,
  ratio: number,
  model: { readonly price: PriceTable; readonly contextLimit: number; readonly maxOutput: number },
): RaisedEstimate {
  const count = estimate.kind === 'tokens' ? estimate.count : 1
  const base = costFreely(estimate)
  const most = costOfContext(model) * count
  if (base === 0 || ratio <= oneInMillionths || most <= base) return { estimate, ratio: oneInMillionths }
  const highest = Math.floor((most / base) * oneInMillionths)
  const applied = Math.min(ratio, highest)
  if (estimate.kind !== 'tokens') {
    const cost = nanoDollars(Math.min(multiply(base, applied), most))
    return { estimate: { kind: 'fixed', cost }, ratio: applied }
  }
  return { estimate: raiseTokens(estimate, applied), ratio: applied }
}

/** A higher price leaves the rules of output caps unchanged. The charge uses the true price. */
function raiseTokens(estimate: TokenEstimate, ratio: number): TokenEstimate {
  const { alternatives } = estimate
  const raised = { ...estimate, price: raisePrice(estimate.price, ratio) }
  if (alternatives === undefined) return raised
  return { ...raised, alternatives: alternatives.map(each => raiseTokens(each, ratio)) }
}

function raisePrice({ tiers: [first, ...others] }: PriceTable, ratio: number): PriceTable {
  const raise = ({ aboveInputTokens, rates }: PriceTable['tiers'][number]) => ({
    aboveInputTokens,
    rates: Object.fromEntries(
      Object.entries(rates).map(([unit, rate]) => [unit, multiply(rate, ratio)]),
    ) as Units,
  })
  return { tiers: [raise(first), ...others.map(raise)] }
}

function costFreely(estimate: CallEstimate): number {
  const decision = decideBudget([], estimate, 0)
  return decision.admitted ? decision.grant.amount : 0
}

/**
 * Max cost of one call: the context full of the most expensive input, and the longest output. 0 for a model that is not billed by tokens.
 */
export function costOfContext({
  price,
  contextLimit,
  maxOutput,
}: {
  readonly price: PriceTable
  readonly contextLimit: number
  readonly maxOutput: number
}): NanoDollars {
  const rate = (units: readonly [Unit, ...Unit[]]) =>
    price.tiers.some(({ rates }) => units.some(unit => rates[unit] !== undefined))
      ? dearestRate(price, units, contextLimit)
      : 0
  const input = productOf(contextLimit, rate(inputUnits))
  return nanoDollars(Number(roundUpToNano(addExactly(input, productOf(maxOutput, rate(outputUnits))))))
}

function multiply(amount: number, ratio: number): number {
  return Number((BigInt(amount) * BigInt(ratio) + 999_999n) / 1_000_000n)
}

/** A raised hold was rounded up, by less than this in nano-dollars. */
const rounding = 2

/** Ratio of a usage of `cost` to a hold of `held`, which `applied` had already raised. At most what a number can represent exactly. */
export function ratioOf(cost: bigint, held: number, applied: number): number {
  const exact = BigInt(applied > oneInMillionths ? Math.max(1, held - rounding) : held)
  const ratio = (cost * BigInt(applied) + exact - 1n) / exact
  return Number(ratio > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : ratio)
}
