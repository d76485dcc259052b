// Prices what a call uses, whether tokens, images, songs or seconds: exact products, rounded up once, and never a silent 0 for a unit
// without a price. The endpoint plans compute their holds here, gateway/flow/meter.ts each charge.
import { addExactly, divideRoundingUp, type Exact, multiplyExactly } from './exact.ts'
import { type NanoDollars, nanoDollars } from './money.ts'

/** Input that is written to the upstream's cache for five minutes, or for an hour. */
export const cacheWriteUnits = ['cacheWrite5m', 'cacheWrite1h'] as const

/** Billing units of upstreams: tokens of each kind, characters, and items of which a call makes a few. */
export type Unit =
  | 'inputText'
  | 'inputAudio'
  | 'inputImage'
  | 'inputVideo'
  | 'inputCharacter'
  | 'cachedInput'
  | (typeof cacheWriteUnits)[number]
  | 'outputText'
  | 'reasoning'
  | 'outputAudio'
  | 'outputImage'
  | 'image'
  | 'song'
  | 'search'
  | 'second720p'
  | 'second1080p'
  | 'second4k'
  | 'request'

export type Units = Readonly<Partial<Record<Unit, number>>>

/** Rates are whole nano-dollars per million units, also for items: 0.04 USD a song is 4e13. */
export type PriceTier = { readonly aboveInputTokens: number; readonly rates: Units }

/** Tiers ascend; the first is above 0. A prompt above a later threshold moves the whole call to that tier. */
export type PriceTable = { readonly tiers: readonly [PriceTier, ...PriceTier[]] }

/** A unit was used for which the model has no price: an error in the catalog, never a charge of 0. */
export class UnpricedUnitError extends Error {
  readonly unit: string

  constructor(unit: string) {
    super(`The catalog has no price for the unit ${unit}: add a rate to the model.`)
    this.name = 'UnpricedUnitError'
    this.unit = unit
  }
}

/**
 * Σ units × rate, rounded up once to a whole nano-dollar. `inputTokens` (the whole prompt, cached included) picks the tier.
 * Throws UnpricedUnitError for a non-zero unit without a rate, RangeError for units that are not whole numbers of at least 0.
 */
export function costOf(price: PriceTable, units: Units, inputTokens: number): NanoDollars {
  return nanoDollars(Number(exactCostOf(price, units, inputTokens)))
}

/** Like `costOf`, for unit counts that are not bounded: their cost may exceed what an amount can represent. */
export function exactCostOf(price: PriceTable, units: Units, inputTokens: number): Exact {
  const { rates } = tierOf(price, inputTokens)
  let sum: Exact = 0
  for (const unit in units) {
    const amount = units[unit as Unit] ?? 0
    if (amount === 0) continue
    const rate = rates[unit as Unit]
    if (rate === undefined) throw new UnpricedUnitError(unit)
    sum = addExactly(sum, productOf(amount, rate))
  }
  return roundUpToNano(sum)
}

function tierOf(price: PriceTable, inputTokens: number): PriceTier {
  let chosen = price.tiers[0]
  for (const tier of price.tiers) if (inputTokens > tier.aboveInputTokens) chosen = tier
  return chosen
}

/** Cost of a million of each unit with a prompt of this length. */
function ratesFor(price: PriceTable, inputTokens: number): Units {
  return tierOf(price, inputTokens).rates
}

/** Σ amount × rate in millionths of a nano-dollar. */
function sumProducts(products: readonly (readonly [amount: number, rate: number])[]): Exact {
  let sum: Exact = 0
  for (const [amount, rate] of products) sum = addExactly(sum, productOf(amount, rate))
  return sum
}

/** In millionths of a nano-dollar. Throws RangeError if `amount` is not a valid number of units. */
export function productOf(amount: number, rate: number): Exact {
  if (!Number.isSafeInteger(amount) || amount < 0) throw new RangeError(`${amount} is not a number of units.`)
  return multiplyExactly(amount, rate)
}

/** Rates are per million units, so a sum of products is rounded up to whole nano-dollars here, and only here. */
export function roundUpToNano(millionths: Exact): Exact {
  return divideRoundingUp(millionths, 1_000_000)
}

/**
 * The highest rate of any of `units` in any tier that a prompt of up to `inputTokens` can fall into: a ceiling even for price tables in
 * which a longer prompt is cheaper. Throws UnpricedUnitError if such a tier prices none of them.
 */
export function dearestRate(
  price: PriceTable,
  units: readonly [Unit, ...Unit[]],
  inputTokens: number,
): number {
  let dearest = 0
  const [first] = price.tiers
  for (const tier of price.tiers) {
    if (tier !== first && tier.aboveInputTokens >= inputTokens) break
    let found = false
    for (const unit of units) {
      const rate = tier.rates[unit]
      if (rate === undefined) continue
      found = true
      if (rate > dearest) dearest = rate
    }
    if (!found) throw new UnpricedUnitError(units[0])
  }
  return dearest
}

/** Token counts as upstreams report them: cached, written to a cache and media within input, reasoning and media within output. */
export type TokenCounts = {
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
  /** Absent if there are none. */
  readonly media?: MediaTokens
  /** Input that the upstream's cache keeps, by its lifetime; absent if there is none. */
  readonly cacheWrites?: CacheWrites
  /** Web searches that the model made. */
  readonly searches?: number
}

export type MediaTokens = Readonly<
  Partial<Record<'inputAudio' | 'inputImage' | 'inputVideo' | 'outputAudio' | 'outputImage', number>>
>

export type CacheWrites = Readonly<Partial<Record<(typeof cacheWriteUnits)[number], number>>>

/**
 * Splits token counts into billing units. A part that exceeds its whole is billed as reported and leaves 0 for the rest. Cached tokens are
 * subtracted from the text first, because which kind a cache served is not reported and text is the cheapest.
 */
export function unitsOfTokens(usage: TokenCounts): Units {
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens, media, cacheWrites, searches } = usage
  const textUnits = {
    inputText: Math.max(0, inputTokens - cachedTokens),
    cachedInput: cachedTokens,
    outputText: Math.max(0, outputTokens - reasoningTokens),
    reasoning: reasoningTokens,
  }
  if (media === undefined && cacheWrites === undefined && searches === undefined) return textUnits
  const { inputAudio = 0, inputImage = 0, inputVideo = 0, outputAudio = 0, outputImage = 0 } = media ?? {}
  const { cacheWrite5m = 0, cacheWrite1h = 0 } = cacheWrites ?? {}
  const others = inputAudio + inputImage + inputVideo + cacheWrite5m + cacheWrite1h
  return {
    ...textUnits,
    ...media,
    ...cacheWrites,
    inputText: Math.max(0, textUnits.inputText - others),
    outputText: Math.max(0, textUnits.outputText - outputAudio - outputImage),
    ...(searches === undefined ? {} : { search: searches }),
  }
}

/** `rate`: nano-dollars per million units. `amount`: nano-dollars, exact, with up to six decimals. */
export type PriceLine = {
  readonly unit: string
  readonly count: number
  readonly rate: number
  readonly amount: string
}

/**
 * The lines that add up to `cost` when rounded up. Null if these prices do not lead to it: they have changed since the call, or the call was
 * charged in another way.
 */
export function listPriceLines(
  price: PriceTable,
  units: Units,
  inputTokens: number,
  cost: number,
): PriceLine[] | null {
  const rates = ratesFor(price, inputTokens)
  const lines: PriceLine[] = []
  for (const [unit, count] of Object.entries(units)) {
    const rate = rates[unit as Unit]
    if (count === 0) continue
    if (rate === undefined) return null
    lines.push({ unit, count, rate, amount: writeMillionths(productOf(count, rate)) })
  }
  return Number(exactCostOf(price, units, inputTokens)) === cost ? lines : null
}

function writeMillionths(millionths: Exact): string {
  const digits = String(millionths).padStart(7, '0')
  const places = digits.slice(-6).replace(/0+$/, '')
  return places === '' ? digits.slice(0, -6) : `${digits.slice(0, -6)}.${places}`
}

/** A number of tokens, each of which may be billed as any of the units. */
export type Ceiling = { readonly tokens: number; readonly units: readonly [Unit, ...Unit[]] }

/**
 * Σ tokens × the highest rate they can have, in any tier that a prompt of `inputTokens` can fall into, rounded up once. Throws
 * UnpricedUnitError if a kind that occurs has no price at all.
 */
export function ceilingCost(
  price: PriceTable,
  inputTokens: number,
  ceilings: readonly Ceiling[],
): NanoDollars {
  const products = ceilings
    .filter(({ tokens }) => tokens > 0)
    .map(({ tokens, units }) => [tokens, dearestRate(price, units, inputTokens)] as const)
  return nanoDollars(Number(roundUpToNano(sumProducts(products))))
}
