// Capabilities of each kind of upstream: what it serves, the prices its models need, and the catalog members specific to it.
import { speechVoices } from '@fairgate/contracts/audio/speech-request.ts'
import type { Config } from '../config/config.ts'
import type { Modality, UpstreamKind } from './types.ts'

/** Upstream name → its kind. */
export type UpstreamKinds = ReadonlyMap<string, UpstreamKind>

export function listKinds({ upstreams }: Pick<Config, 'upstreams'>): UpstreamKinds {
  return new Map([['vendor', 'vendor'], ...upstreams.map(({ name, kind }) => [name, kind] as const)])
}

export const vendorAlone: UpstreamKinds = new Map([['vendor', 'vendor']])

/** Null: every modality. */
const served: Readonly<Record<UpstreamKind, readonly Modality[] | null>> = {
  vendor: null,
  openai: ['chat', 'image', 'imggen', 'speech', 'transcription', 'embedding'],
  anthropic: ['chat'],
}

/** Templates of open models add up to a few hundred tokens, and so do Anthropic's instructions for tools and schemas. */
const usualOverhead: Readonly<Record<UpstreamKind, number>> = { vendor: 0, openai: 1024, anthropic: 1024 }

/** The sizes of OpenAI's image models. */
const openaiSizes: readonly (readonly [ratio: string, size: string])[] = [
  ['1:1', '1024x1024'],
  ['4:3', '1536x1024'],
  ['16:9', '1536x1024'],
  ['3:4', '1024x1536'],
  ['9:16', '1024x1536'],
]

type Entry = {
  readonly upstream?: string
  readonly voices?: readonly string[]
  readonly prompt_overhead?: number
  readonly image_sizes?: Readonly<Record<string, string>>
  readonly price: Readonly<Partial<Record<'search' | 'cache_write_5m' | 'cache_write_1h', number>>>
}

/**
 * The members of a model that depend on its upstream. `place`: the entry, for errors. Throws an Error that names the entry if its upstream is
 * unknown or cannot serve the modality, because models never fall back to another upstream.
 */
export function readUpstream(place: string, kinds: UpstreamKinds, modality: Modality, entry: Entry) {
  const upstream = entry.upstream ?? 'vendor'
  const kind = kinds.get(upstream)
  if (kind === undefined) {
    throw new Error(`${place}.upstream: ${upstream} is none of ${[...kinds.keys()].join(', ')}.`)
  }
  if (served[kind]?.includes(modality) === false)
    throw new Error(`${place}: an upstream of the kind ${kind} does not serve the modality ${modality}.`)
  const isVendor = kind === 'vendor'
  if (!isVendor && entry.price.search !== undefined)
    throw new Error(`${place}.price.search: searches of an upstream of the kind ${kind} are not offered.`)
  for (const member of ['cache_write_5m', 'cache_write_1h'] as const) {
    if (kind !== 'anthropic' && entry.price[member] !== undefined)
      throw new Error(`${place}.price.${member}: only upstreams of the kind anthropic bill cache writes.`)
  }
  return {
    upstream,
    kind,
    promptOverhead: entry.prompt_overhead ?? usualOverhead[kind],
    voices: entry.voices ?? (isVendor ? speechVoices : null),
    imageSizes: new Map([...(isVendor ? [] : openaiSizes), ...Object.entries(entry.image_sizes ?? {})]),
  }
}
