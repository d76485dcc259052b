// Loads config/models.yaml into the catalog: names unique, prices exact, nothing callable without a price.
import Type, { type Static } from 'typebox'
import { readYaml } from '../config/settings-file.ts'
import { parseUsd } from '../ledger/money.ts'
import type { PriceTable, Unit, Units } from '../ledger/price.ts'
import { type Catalog, type CatalogModel, type Modality, modalities } from './types.ts'
import { readUpstream, type UpstreamKinds, vendorAlone } from './upstream-kinds.ts'

const strict = { additionalProperties: false }
const usd = Type.Number({ minimum: 0 })

/** Price members → the unit that each is the rate of. Token prices are USD per million, the others USD per item. */
export const tokenPrices = {
  input: 'inputText',
  input_audio: 'inputAudio',
  input_image: 'inputImage',
  input_video: 'inputVideo',
  input_characters: 'inputCharacter',
  cached_input: 'cachedInput',
  cache_write_5m: 'cacheWrite5m',
  cache_write_1h: 'cacheWrite1h',
  output: 'outputText',
  reasoning: 'reasoning',
  output_audio: 'outputAudio',
  output_image: 'outputImage',
} as const satisfies Record<string, Unit>
export const piecePrices = {
  image: 'image',
  song: 'song',
  search: 'search',
  second_720p: 'second720p',
  second_1080p: 'second1080p',
  second_4k: 'second4k',
  request: 'request',
} as const satisfies Record<string, Unit>

type PriceMember = keyof typeof tokenPrices | keyof typeof piecePrices

const rates = Object.fromEntries(
  [...Object.keys(tokenPrices), ...Object.keys(piecePrices)].map(member => [member, Type.Optional(usd)]),
) as Record<PriceMember, ReturnType<typeof Type.Optional<typeof usd>>>

const modelSchema = Type.Object(
  {
    modality: Type.Optional(Type.Enum([...modalities])),
    aliases: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    upstream: Type.Optional(Type.String({ minLength: 1 })),
    upstream_id: Type.String({ minLength: 1 }),
    fallbacks: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 3 })),
    context_limit: Type.Integer({ minimum: 1 }),
    max_output: Type.Optional(Type.Integer({ minimum: 1 })),
    default_output_cap: Type.Optional(Type.Integer({ minimum: 1 })),
    typical_output: Type.Optional(Type.Integer({ minimum: 1 })),
    reasoning: Type.Optional(Type.Enum(['budget', 'level', 'none'])),
    image_tokens: Type.Optional(Type.Record(Type.String(), Type.Integer({ minimum: 1 }))),
    image_sizes: Type.Optional(Type.Record(Type.String(), Type.String({ minLength: 1 }))),
    prompt_overhead: Type.Optional(Type.Integer({ minimum: 0 })),
    voices: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })),
    formats: Type.Optional(Type.Array(Type.Enum(['mp3', 'wav']), { minItems: 1 })),
    retires_on: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })),
    rpm_limit: Type.Optional(Type.Integer({ minimum: 0 })),
    tpm_limit: Type.Optional(Type.Integer({ minimum: 0 })),
    price: Type.Object(
      { ...rates, above: Type.Optional(Type.Record(Type.String(), Type.Object(rates, strict))) },
      strict,
    ),
  },
  strict,
)
const catalogSchema = Type.Object(
  {
    models: Type.Record(Type.String(), modelSchema),
    families: Type.Optional(Type.Record(Type.String(), modelSchema)),
  },
  strict,
)

type ModelEntry = Static<typeof modelSchema>
type Rates = Readonly<Partial<Record<PriceMember, number>>>

/** Prices that models of each modality must have, because their calls are always billed by them. */
const requiredPrices: Readonly<Record<Modality, readonly PriceMember[]>> = {
  chat: ['input', 'cached_input', 'output', 'reasoning'],
  image: ['input', 'output', 'output_image'],
  imggen: ['image'],
  speech: ['input', 'output_audio'],
  music: ['song'],
  transcription: ['input', 'input_audio', 'output'],
  embedding: ['input'],
  video: ['request'],
}

const cacheWrites: readonly PriceMember[] = ['cache_write_5m', 'cache_write_1h']

/** OpenAI answers speech without usage, so speech is billed by the characters that were sent, which we can count. */
const speechByCharacters: readonly PriceMember[] = ['input_characters']

/** `kinds`: the known upstreams. `text`: used instead of the file's contents. Throws an Error that names the file and the faulty entry. */
export function loadCatalog(path: string, kinds: UpstreamKinds = vendorAlone, text?: string): Catalog {
  const { models, families = {} } = readYaml(path, catalogSchema, text)
  return createCatalog(
    buildModels(path, kinds, models),
    Object.entries(families).map(([pattern, entry]) => buildFamily(path, kinds, pattern, entry)),
    path,
  )
}

/** In the order of the file. Throws an Error that names the faulty entry. */
function buildModels(
  path: string,
  kinds: UpstreamKinds,
  entries: Readonly<Record<string, ModelEntry>>,
): readonly CatalogModel[] {
  const built = new Map<string, CatalogModel>()
  const build = (id: string, entry: ModelEntry, askedBy: readonly string[]): CatalogModel => {
    const known = built.get(id)
    if (known !== undefined) return known
    const place = `${path}: models.${id}`
    const line = [...askedBy, id]
    const plain = buildModel(place, kinds, id, entry)
    const fallbacks = (entry.fallbacks ?? []).map(name => {
      const other = Object.hasOwn(entries, name) ? entries[name] : undefined
      if (other === undefined)
        throw new Error(
          `${place}.fallbacks: ${name} is not a model of this catalog (aliases and families are not allowed).`,
        )
      if (line.includes(name))
        throw new Error(`${place}.fallbacks: ${[...line, name].join(' → ')} is a loop.`)
      const model = build(name, other, line)
      if (plain.modality !== 'chat' || model.modality !== 'chat')
        throw new Error(`${place}.fallbacks: only chat models can have fallbacks or be one.`)
      return model
    })
    if (new Set(fallbacks).size < fallbacks.length)
      throw new Error(`${place}.fallbacks: a model is listed twice.`)
    const model = { ...plain, fallbacks }
    built.set(id, model)
    return model
  }
  return Object.entries(entries).map(([id, entry]) => build(id, entry, []))
}

/** Throws if two models share a name. */
function createCatalog(
  models: readonly CatalogModel[],
  families: readonly ModelFamily[],
  source: string,
): Catalog {
  if (models.length === 0) throw new Error(`${source}: no model is defined.`)
  const byName = new Map<string, CatalogModel>()
  for (const model of models) {
    for (const name of [model.id, ...model.aliases]) {
      if (byName.has(name)) throw new Error(`${source}: two models are called ${name}.`)
      byName.set(name, model)
    }
  }
  return Object.freeze({
    find: (name: string) => byName.get(name) ?? findInFamilies(families, name),
    models,
    families: families.map(({ model }) => model),
  })
}

/** Models known by a name pattern: new models of an upstream can be called, and are priced, without an entry each. */
type ModelFamily = {
  /** Common prefix of the names. */
  readonly prefix: string
  readonly upstreamPrefix: string
  readonly model: CatalogModel
}

/** The length of a name is bounded, because limits and totals are kept by name. */
const restOfName = /^[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?$/

function readPrefix(pattern: string): string | null {
  return /^([^*]+)\*$/.exec(pattern)?.[1] ?? null
}

/** The model of that name as its family describes it; undefined if it belongs to none. */
function findInFamilies(families: readonly ModelFamily[], name: string): CatalogModel | undefined {
  for (const { prefix, upstreamPrefix, model } of families) {
    if (!name.startsWith(prefix)) continue
    const rest = name.slice(prefix.length)
    if (restOfName.test(rest)) return { ...model, id: name, upstreamId: upstreamPrefix + rest }
  }
  return undefined
}

/** `pattern` and the model's upstream id both end in `*`, which represents the rest of the name. Throws if they do not. */
function buildFamily(path: string, kinds: UpstreamKinds, pattern: string, entry: ModelEntry): ModelFamily {
  const place = `${path}: families.${pattern}`
  if (entry.aliases !== undefined) throw new Error(`${place}.aliases: a family cannot have aliases.`)
  if (entry.fallbacks !== undefined) throw new Error(`${place}.fallbacks: a family cannot have fallbacks.`)
  const model = buildModel(place, kinds, pattern, entry)
  const prefix = readPrefix(pattern)
  if (prefix === null)
    throw new Error(`${place}: a family name must end in * and have no other *, as in video-*.`)
  const upstreamPrefix = readPrefix(model.upstreamId)
  if (upstreamPrefix === null)
    throw new Error(`${place}.upstream_id must end in * and have no other *, as in veo-*.`)
  return { prefix, upstreamPrefix, model }
}

function buildModel(place: string, kinds: UpstreamKinds, id: string, entry: ModelEntry): CatalogModel {
  const modality = entry.modality ?? 'chat'
  const upstream = readUpstream(place, kinds, modality, entry)
  const isByCharacters = upstream.kind === 'openai' && modality === 'speech'
  const needsCap = !['imggen', 'music', 'embedding', 'video'].includes(modality) && !isByCharacters
  if (needsCap && entry.max_output === undefined) throw new Error(`${place}.max_output is missing.`)
  const maxOutput = entry.max_output ?? 0
  const defaultOutputCap = entry.default_output_cap ?? maxOutput
  if (defaultOutputCap > maxOutput) throw new Error(`${place}.default_output_cap is above max_output.`)
  if (modality === 'image' && entry.image_tokens === undefined)
    throw new Error(`${place}.image_tokens is missing.`)
  if (modality === 'music' && entry.formats === undefined) throw new Error(`${place}.formats is missing.`)
  const retiresOn = entry.retires_on ?? null
  if (retiresOn !== null && Number.isNaN(Date.parse(retiresOn)))
    throw new Error(`${place}.retires_on: ${retiresOn} is not a valid date.`)
  return {
    id,
    aliases: entry.aliases ?? [],
    modality,
    ...upstream,
    upstreamId: entry.upstream_id,
    fallbacks: [],
    contextLimit: entry.context_limit,
    maxOutput,
    defaultOutputCap,
    typicalOutput: Math.min(entry.typical_output ?? defaultOutputCap, defaultOutputCap),
    reasoning: entry.reasoning ?? 'none',
    price: buildPrice(
      `${place}.price`,
      entry.price,
      isByCharacters ? speechByCharacters : requiredPrices[modality],
    ),
    imageTokens: new Map(Object.entries(entry.image_tokens ?? {})),
    audioFormats: entry.formats ?? [],
    retiresOn,
    rpmLimit: entry.rpm_limit ?? null,
    tpmLimit: entry.tpm_limit ?? null,
  }
}

function buildPrice(place: string, price: ModelEntry['price'], required: readonly PriceMember[]): PriceTable {
  // A request is accepted for what the first tier has a price for, and may then fall into any tier.
  const ofTiers = [...required, ...cacheWrites.filter(member => price[member] !== undefined)]
  const tiers = Object.entries(price.above ?? {}).map(([tokens, tier]) => {
    if (!/^[1-9]\d*$/.test(tokens)) throw new Error(`${place}.above: "${tokens}" is not a number of tokens.`)
    return { aboveInputTokens: Number(tokens), rates: buildRates(`${place}.above.${tokens}`, tier, ofTiers) }
  })
  tiers.sort((left, right) => left.aboveInputTokens - right.aboveInputTokens)
  return { tiers: [{ aboveInputTokens: 0, rates: buildRates(place, price, required) }, ...tiers] }
}

/**
 * Converts dollars per million tokens to nano-dollars per million × 1e9, dollars per item × 1e15; both exactly, through decimal text.
 * Without a price of their own, media in the input are billed as text and reasoning as output.
 */
function buildRates(place: string, tier: Rates, required: readonly PriceMember[]): Units {
  const missing = required.find(member => tier[member] === undefined)
  if (missing !== undefined) throw new Error(`${place}.${missing} is missing.`)
  const found: Partial<Record<Unit, number>> = {}
  const read = (member: PriceMember, unit: Unit, factor: number) => {
    const amount = tier[member]
    if (amount === undefined) return
    try {
      found[unit] = parseUsd(amount) * factor
    } catch (cause) {
      throw new Error(`${place}.${member}: ${cause instanceof Error ? cause.message : String(cause)}`, {
        cause,
      })
    }
    if (!Number.isSafeInteger(found[unit])) throw new Error(`${place}.${member}: ${amount} USD is too much.`)
  }
  for (const [member, unit] of Object.entries(tokenPrices)) read(member as PriceMember, unit, 1)
  for (const [member, unit] of Object.entries(piecePrices)) read(member as PriceMember, unit, 1_000_000)
  const { inputText, outputText } = found
  const implied: Partial<Record<Unit, number>> = {}
  if (inputText !== undefined) {
    for (const unit of ['inputAudio', 'inputImage', 'inputVideo', 'cachedInput'] as const)
      implied[unit] = inputText
  }
  if (outputText !== undefined) implied.reasoning = outputText
  return { ...implied, ...found }
}
