// Reads config/models.yaml into the catalog: names unique, prices exact, nothing callable without a price.
import Type, { type Static } from 'typebox'
import { readYaml } from '../config/settings-file.ts'
import { parseUsd } from '../ledger/money.ts'
import type { PriceTable } from '../ledger/price.ts'
import type { Catalog, CatalogModel } from './types.ts'

const strict = { additionalProperties: false }
const usdPerMillion = Type.Number({ minimum: 0 })
const rates = {
  input: usdPerMillion,
  cached_input: usdPerMillion,
  output: usdPerMillion,
  reasoning: usdPerMillion,
}
const modelSchema = Type.Object(
  {
    aliases: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    upstream_id: Type.String({ minLength: 1 }),
    context_limit: Type.Integer({ minimum: 1 }),
    max_output: Type.Integer({ minimum: 1 }),
    default_output_cap: Type.Optional(Type.Integer({ minimum: 1 })),
    typical_output: Type.Integer({ minimum: 1 }),
    reasoning: Type.Optional(Type.Enum(['budget', 'level', 'none'])),
    rpm_limit: Type.Optional(Type.Integer({ minimum: 0 })),
    tpm_limit: Type.Optional(Type.Integer({ minimum: 0 })),
    price: Type.Object(
      { ...rates, above: Type.Optional(Type.Record(Type.String(), Type.Object(rates, strict))) },
      strict,
    ),
  },
  strict,
)
const catalogSchema = Type.Object({ models: Type.Record(Type.String(), modelSchema) }, strict)

type ModelEntry = Static<typeof modelSchema>
type Rates = { input: number; cached_input: number; output: number; reasoning: number }

/** Throws an Error that names the file and the entry at fault. */
export function loadCatalog(path: string): Catalog {
  const { models } = readYaml(path, catalogSchema)
  return createCatalog(
    Object.entries(models).map(([id, entry]) => buildModel(path, id, entry)),
    path,
  )
}

/** Throws when two models share a name. */
function createCatalog(models: readonly CatalogModel[], source = 'catalog'): Catalog {
  if (models.length === 0) throw new Error(`${source}: no model is defined.`)
  const byName = new Map<string, CatalogModel>()
  for (const model of models) {
    for (const name of [model.id, ...model.aliases]) {
      if (byName.has(name)) throw new Error(`${source}: two models are called ${name}.`)
      byName.set(name, model)
    }
  }
  return Object.freeze({ find: (name: string) => byName.get(name), models })
}

function buildModel(path: string, id: string, entry: ModelEntry): CatalogModel {
  const defaultOutputCap = entry.default_output_cap ?? entry.max_output
  if (defaultOutputCap > entry.max_output) {
    throw new Error(`${path}: models.${id}.default_output_cap is above max_output.`)
  }
  return {
    id,
    aliases: entry.aliases ?? [],
    modality: 'chat',
    upstream: 'vendor',
    upstreamId: entry.upstream_id,
    contextLimit: entry.context_limit,
    maxOutput: entry.max_output,
    defaultOutputCap,
    typicalOutput: Math.min(entry.typical_output, defaultOutputCap),
    reasoning: entry.reasoning ?? 'none',
    price: buildPrice(`${path}: models.${id}.price`, entry.price),
    rpmLimit: entry.rpm_limit ?? null,
    tpmLimit: entry.tpm_limit ?? null,
  }
}

function buildPrice(place: string, price: ModelEntry['price']): PriceTable {
  const tiers = Object.entries(price.above ?? {}).map(([tokens, tier]) => {
    if (!/^[1-9]\d*$/.test(tokens)) throw new Error(`${place}.above: "${tokens}" is not a number of tokens.`)
    return { aboveInputTokens: Number(tokens), rates: buildRates(`${place}.above.${tokens}`, tier) }
  })
  tiers.sort((left, right) => left.aboveInputTokens - right.aboveInputTokens)
  return { tiers: [{ aboveInputTokens: 0, rates: buildRates(place, price) }, ...tiers] }
}

/** Dollars per million tokens are the same number as nano-dollars per million tokens × 1e9: exact through decimal text. */
function buildRates(place: string, tier: Rates) {
  try {
    return {
      inputText: parseUsd(tier.input),
      cachedInput: parseUsd(tier.cached_input),
      outputText: parseUsd(tier.output),
      reasoning: parseUsd(tier.reasoning),
    }
  } catch (cause) {
    throw new Error(`${place}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}
