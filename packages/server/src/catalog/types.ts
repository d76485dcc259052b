// A catalog model as the rest of the server sees it: validated, aliases resolved, prices as integers.
import type { PriceTable } from '../ledger/price.ts'

/** The API that an upstream speaks. */
export type UpstreamKind = 'vendor' | 'openai' | 'anthropic'

export const modalities = [
  'chat',
  'image',
  'imggen',
  'speech',
  'music',
  'transcription',
  'embedding',
  'video',
] as const

/**
 * Purpose of a model, which decides the endpoint that serves it: `chat` /chat/completions, `image` images by a chat model and `imggen` by
 * an image model (both /images/generations), `speech` and `music` /audio/speech, `transcription` /audio/transcriptions, `embedding`
 * /embeddings, `video` /videos.
 */
export type Modality = (typeof modalities)[number]

export type CatalogModel = {
  /** The canonical public id, used in limits, budgets, allow-lists and charges. */
  readonly id: string
  /** Other public names of the same model. */
  readonly aliases: readonly string[]
  readonly modality: Modality
  /** Upstream name in the settings; `vendor` for the provider of VENDOR_API_KEY. */
  readonly upstream: string
  readonly kind: UpstreamKind
  /** The upstream's id of the model. */
  readonly upstreamId: string
  /** Models that may serve instead, in this order, each at its own price. */
  readonly fallbacks: readonly CatalogModel[]
  /** Max input tokens of the model. */
  readonly contextLimit: number
  /** Max output tokens of one choice. */
  readonly maxOutput: number
  /** The output cap sent if the client gives none. */
  readonly defaultOutputCap: number
  /** Output tokens that the token window reserves if the client gives no cap. */
  readonly typicalOutput: number
  /** How `reasoning_effort` is expressed upstream: a token budget, a level, or not at all. */
  readonly reasoning: 'budget' | 'level' | 'none'
  readonly price: PriceTable
  /** Tokens that one image is billed as, by its size; empty for models that create none or bill them per item. */
  readonly imageTokens: ReadonlyMap<string, number>
  /** Tokens that the upstream may add to a prompt by itself, such as templates and its own instructions. */
  readonly promptOverhead: number
  /** Voices of a speech model; null accepts any name. */
  readonly voices: readonly string[] | null
  /** Image ratio → the requested size, for upstreams that take sizes. */
  readonly imageSizes: ReadonlyMap<string, string>
  /** Output formats of a music model. */
  readonly audioFormats: readonly ('mp3' | 'wav')[]
  /** The day (ISO date) from which the upstream no longer promises the model; null if no end is announced. */
  readonly retiresOn: string | null
  /** Limits over all teams together; null means none. */
  readonly rpmLimit: number | null
  readonly tpmLimit: number | null
}

/** Finds the model that a public name refers to. */
export type Catalog = {
  /** The model by canonical id, by alias, or by the family that its name belongs to; undefined if the catalog has none. */
  readonly find: (name: string) => CatalogModel | undefined
  /** All models by canonical id, in the order of the file, without those that only a family covers. */
  readonly models: readonly CatalogModel[]
  /** One model for each family, with the pattern as its id. */
  readonly families: readonly CatalogModel[]
}
