// A model of the catalog as the rest of the server sees it: validated, aliases resolved, prices as integers.
import type { PriceTable } from '../ledger/price.ts'

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
 * What a model is for, which decides the endpoint that serves it: `chat` /chat/completions, `image` images by a chat model
 * and `imggen` by an image model (both /images/generations), `speech` and `music` /audio/speech, `transcription`
 * /audio/transcriptions, `embedding` /embeddings, `video` /videos.
 */
export type Modality = (typeof modalities)[number]

export type CatalogModel = {
  /** The canonical public id: what limits, budgets, allow-lists and charges name. */
  readonly id: string
  /** Other public names of the same model. */
  readonly aliases: readonly string[]
  readonly modality: Modality
  /** Its name in the settings; `vendor` for the provider of VENDOR_API_KEY. */
  readonly upstream: string
  /** The id that the upstream knows. */
  readonly upstreamId: string
  /** Models that may serve in its place, in this order, each at its own price. */
  readonly fallbacks: readonly CatalogModel[]
  /** The most input tokens that the model takes. */
  readonly contextLimit: number
  /** The most output tokens that one choice can have. */
  readonly maxOutput: number
  /** The output cap sent when the client gives none. */
  readonly defaultOutputCap: number
  /** Output tokens that the token window reserves when the client gives no cap. */
  readonly typicalOutput: number
  /** How `reasoning_effort` is expressed upstream: a token budget, a level, or not at all. */
  readonly reasoning: 'budget' | 'level' | 'none'
  readonly price: PriceTable
  /** Tokens that one image is billed as, by its size; empty for models that make none or bill them per item. */
  readonly imageTokens: ReadonlyMap<string, number>
  /** Tokens that the upstream may add to a prompt by itself: templates, instructions of its own. */
  readonly promptOverhead: number
  /** True when the highest cost of media in a prompt is known beforehand, as it is for the vendor's models. */
  readonly hasMediaCeilings: boolean
  /** Voices of a speech model; null takes any name. */
  readonly voices: readonly string[] | null
  /** Ratio of an image → the size that is asked for, for upstreams that take sizes. */
  readonly imageSizes: ReadonlyMap<string, string>
  /** Forms that a music model can answer in. */
  readonly audioFormats: readonly ('mp3' | 'wav')[]
  /** From this day on (ISO date) the upstream no longer promises the model; null when no end is announced. */
  readonly retiresOn: string | null
  /** Limits over all teams together; null means none. */
  readonly rpmLimit: number | null
  readonly tpmLimit: number | null
}

/** Answers which model a public name means. */
export type Catalog = {
  /** The model by canonical id, by alias, or by the family that its name belongs to; undefined when the catalog has none. */
  readonly find: (name: string) => CatalogModel | undefined
  /** All models by canonical id, in the order of the file; those that only a family knows are not among them. */
  readonly models: readonly CatalogModel[]
  /** One model for each family, with the pattern as its id. */
  readonly families: readonly CatalogModel[]
}
