// Decides the output cap of a token-priced call from the actual spend, and the max cost of the call under that cap.
import type { TokenEstimate } from './admission.ts'
import { addExactly, type Exact, timesExactly } from './exact.ts'
import { type NanoDollars, nanoDollars } from './money.ts'
import { dearestRate, productOf, roundUpToNano } from './price.ts'

const textInput = ['inputText', 'cachedInput'] as const
const textOutput = ['outputText', 'reasoning'] as const

/** `amount` is the ceiling of the whole call (all choices) under `outputCap`. */
export type CappedEstimate = {
  readonly outputCap: number
  readonly amount: NanoDollars
  readonly reduced: boolean
}

/**
 * The largest cap, at most the requested one, with which the call cannot cost more than `headroom` nano-dollars (budget − spent; Infinity
 * without a budget). Null if even the smallest permitted cap does not fit. Holds of other calls play no part: a cap shrunk by holds would
 * let in many useless calls when one useful call should wait. Throws UnpricedUnitError if input or output has no price.
 */
export function decideOutputCap(estimate: TokenEstimate, headroom: number): CappedEstimate | null {
  const { askedOutput, inputTokens, price } = estimate
  const { inputUnits = textInput, outputUnits = textOutput } = estimate
  const inputRate = inputTokens === 0 ? 0 : dearestRate(price, inputUnits, inputTokens)
  const outputRate = askedOutput === 0 ? 0 : dearestRate(price, outputUnits, inputTokens)
  const input = productOf(inputTokens, inputRate)
  const asked = amountAt(askedOutput, input, outputRate, estimate.count)
  if (asked <= headroom) return { outputCap: askedOutput, amount: nanoDollars(Number(asked)), reduced: false }
  if (!estimate.reducible || headroom <= 0 || outputRate === 0) return null
  // Each choice rounds up by itself, so each may cost at most its share of the headroom.
  const share = (BigInt(headroom) / BigInt(estimate.count)) * 1_000_000n
  const affordable = share < input ? -1 : Number((share - BigInt(input)) / BigInt(outputRate))
  const outputCap = Math.min(affordable, askedOutput)
  if (outputCap < estimate.minimumOutput || outputCap < 1) return null
  const reduced = amountAt(outputCap, input, outputRate, estimate.count)
  return { outputCap, amount: nanoDollars(Number(reduced)), reduced: true }
}

/**
 * The same for a call that multiple models may serve: the cap fits all of them, and the amount is the highest. An alternative gets at most
 * the output that the models before it may have.
 */
export function decideDearestCap(estimate: TokenEstimate, headroom: number): CappedEstimate | null {
  let decided = decideOutputCap(estimate, headroom)
  for (const alternative of estimate.alternatives ?? none) {
    if (decided === null) return null
    const { outputCap, amount, reduced } = decided
    const askedOutput = Math.min(alternative.askedOutput, outputCap)
    const other = decideOutputCap({ ...alternative, askedOutput }, headroom)
    decided = other && {
      outputCap: other.reduced ? other.outputCap : outputCap,
      amount: nanoDollars(Math.max(other.amount, amount)),
      reduced: reduced || other.reduced,
    }
  }
  return decided
}

const none: readonly never[] = []

/** Amount of all choices under a cap. `input`: the input cost of one choice, in millionths of a nano-dollar. */
function amountAt(cap: number, input: Exact, outputRate: number, count: number): Exact {
  return timesExactly(roundUpToNano(addExactly(input, productOf(cap, outputRate))), count)
}
