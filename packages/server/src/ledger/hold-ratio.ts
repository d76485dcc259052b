// Raises the hold of a kind of call that has once used more than its hold: by the worst ratio seen, at most to the price of the context.
import type { CallEstimate, TokenEstimate } from './admission.ts'
import { inputUnits, outputUnits } from './count-tokens.ts'
import { decideBudget } from './decide-budget.ts'
import { addExactly } from './exact.ts'
import { type NanoDollars, nanoDollars } from './money.ts'
import { dearestRate, type PriceTable, productOf, roundUpToNano, type Unit, type Units } from './price.ts'

/** What a hold was worked out from. `counted`: the upstream has counted the input. */
export type HoldMedium = 'text' | 'image' | 'audio' | 'document' | 'counted'

/** Calls that are measured in the same way, so that they are wrong in the same way. */
export type HoldBasis = {
  readonly teamId: string
  /** As asked, also if a fallback has served. */
  readonly modelId: string
  readonly endpoint: string
  readonly medium: HoldMedium
}

/** A use that can be true and was above the hold. */
export type HoldExcess = {
  readonly modelId: string
  readonly medium: HoldMedium
  /** Nano-dollars above the hold. */
  readonly amount: number
  /** What was used, by the hold as it would have been without a ratio; in millionths. */
  readonly ratio: number
}

/** What calls of one basis have used above their holds. */
export type UnchargedSum = HoldBasis & {
  /** Nano-dollars, over all time. */
  readonly uncharged: number
  /** Since an organiser has cleared it last. */
  readonly open: number
  /** In millionths: later calls are held for so much more. */
  readonly ratio: number
  /** Number of the change of the directory. */
  readonly version: number
}

export function sumUncharged(sums: readonly UnchargedSum[]): number {
  return sums.reduce((total, { uncharged }) => total + uncharged, 0)
}

export const oneInMillionths = 1_000_000

/** `ratio`: how much more is held in fact. */
export type RaisedEstimate = { readonly estimate: CallEstimate; readonly ratio: number }

/** Throws UnpricedUnitError when the call cannot be priced. */
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

/** A dearer price leaves the rules of output caps as they are. The charge is by the true price. */
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

/** All that one call can have: the context full of the dearest input, and the longest output. 0 for a model that is not billed by tokens. */
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

/** A raised hold was rounded up: by less than this in nano-dollars. */
const rounding = 2

/** Of a use of `cost` on a hold of `held`, which `applied` had raised already. At most what a number can show exactly. */
export function ratioOf(cost: bigint, held: number, applied: number): number {
  const exact = BigInt(applied > oneInMillionths ? Math.max(1, held - rounding) : held)
  const ratio = (cost * BigInt(applied) + exact - 1n) / exact
  return Number(ratio > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : ratio)
}
