// The vendor as an upstream: chat, media, videos and the pass-through, over one exchange and one ring of keys.
import type { Upstream } from '../choose-upstream.ts'
import { type Dialect, Exchange, type ExchangeDependencies } from '../exchange.ts'
import type { KeyRing } from '../key-ring.ts'
import type { GeminiRelay } from '../relay-port.ts'
import type { Resolve } from '../remote-media/find-public-address.ts'
import type { VideoRelay, VideoUpstream } from '../video-port.ts'
import { createGeminiChat } from './create-gemini-chat.ts'
import { createGeminiMedia } from './create-gemini-media.ts'
import { createGeminiRelay } from './create-gemini-relay.ts'
import { mapGeminiError, readRetryDelay } from './map-gemini-error.ts'
import { createGeminiVideo } from './video/create-gemini-video.ts'

export type GeminiUpstreamDependencies = ExchangeDependencies & {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly keys: KeyRing
  /** All addresses of a host, for files that the vendor keeps elsewhere. */
  readonly resolve: Resolve
  /** A fresh id for a tool call: letters and digits. */
  readonly newToolCallId: () => string
}

export type GeminiUpstream = Upstream & {
  readonly relay: GeminiRelay
  readonly video: VideoUpstream
  readonly videoRelay: VideoRelay
}

/** How the vendor is addressed, and how it says no. */
export const geminiDialect: Dialect = {
  writeHeaders: secret => ({ 'x-goog-api-key': secret }),
  mapError: mapGeminiError,
  readRetryDelay: ({ body }) => readRetryDelay(body),
}

export function createGeminiUpstream(dependencies: GeminiUpstreamDependencies): GeminiUpstream {
  const { baseUrl, keys, timers, fetch, resolve, newToolCallId } = dependencies
  const address = `${baseUrl}/v1beta`
  const exchange = new Exchange(dependencies, geminiDialect)
  // A look at an order under way says nothing of how long models take.
  const unobserved = new Exchange({ ...dependencies, observeUpstream: () => undefined }, geminiDialect)
  const { silenceMs } = dependencies.bounds
  return {
    chat: createGeminiChat(exchange, address, newToolCallId),
    media: createGeminiMedia(exchange, address),
    relay: createGeminiRelay(exchange, address),
    ...createGeminiVideo({ exchange: unobserved, address, baseUrl, keys, timers, fetch, resolve, silenceMs }),
  }
}
