// The worst that a call can cost when what it may use is known from above, kind by kind.
import { type NanoDollars, nanoDollars } from './money.ts'
import { dearestRate, type PriceTable, roundUpToNano, sumProducts, type Unit } from './price.ts'

/** So many tokens, each of which may be billed as any of the units. */
export type Ceiling = { readonly tokens: number; readonly units: readonly [Unit, ...Unit[]] }

/**
 * Σ tokens × the dearest rate they can have, in any tier that a prompt of `inputTokens` can fall into, rounded up once.
 * Throws UnpricedUnitError when a kind of which there are some has no price at all.
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
