// Describes a model for organisers: the members of the catalog file, with every current price.
import type { CatalogModelRecord } from '@fairgate/contracts/management/catalog.ts'
import type { Unit, Units } from '../ledger/price.ts'
import { piecePrices, tokenPrices } from './load-catalog.ts'
import type { Catalog, CatalogModel } from './types.ts'

/** Models in the order of the file, then the families, named by their patterns. */
export function describeCatalogModels({
  models,
  families,
}: Pick<Catalog, 'models' | 'families'>): CatalogModelRecord[] {
  return [...models, ...families].map(describeModel)
}

export function describeModel(model: CatalogModel): CatalogModelRecord {
  const [base, ...above] = model.price.tiers
  return {
    id: model.id,
    aliases: [...model.aliases],
    modality: model.modality,
    upstream: model.upstream,
    upstream_id: model.upstreamId,
    fallbacks: model.fallbacks.map(({ id }) => id),
    context_limit: model.contextLimit,
    max_output: model.maxOutput,
    default_output_cap: model.defaultOutputCap,
    typical_output: model.typicalOutput,
    reasoning: model.reasoning,
    image_tokens: Object.fromEntries(model.imageTokens),
    image_sizes: Object.fromEntries(model.imageSizes),
    prompt_overhead: model.promptOverhead,
    voices: model.voices === null ? null : [...model.voices],
    formats: [...model.audioFormats],
    retires_on: model.retiresOn,
    rpm_limit: model.rpmLimit,
    tpm_limit: model.tpmLimit,
    price: describeRates(base.rates),
    price_above: Object.fromEntries(
      above.map(tier => [String(tier.aboveInputTokens), describeRates(tier.rates)]),
    ),
  }
}

const tokenMembers = new Map<string, string>(
  Object.entries(tokenPrices).map(([member, unit]) => [unit, member]),
)
const pieceMembers = new Map<string, string>(
  Object.entries(piecePrices).map(([member, unit]) => [unit, member]),
)

/** Nano-dollars per million units → USD per million tokens, or per item. */
function describeRates(rates: Units): Record<string, number> {
  const entries = Object.entries(rates) as [Unit, number][]
  return Object.fromEntries(
    entries.map(([unit, rate]) => {
      const token = tokenMembers.get(unit)
      return token === undefined ? [pieceMembers.get(unit) ?? unit, rate / 1e15] : [token, rate / 1e9]
    }),
  )
}
