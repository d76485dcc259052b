// Composes the upstreams: the vendor (or the sandbox inside this process) and those of the settings, behind the ports of the gateway.
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { startSandbox } from '@fairgate/sandbox/start-sandbox.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import { resolveReplyBounds, resolveTimeouts } from '../config/upstream-settings.ts'
import { createByteBudget } from '../upstream/byte-budget.ts'
import { chooseUpstream, type Upstream } from '../upstream/choose-upstream.ts'
import { createGeminiChat } from '../upstream/gemini/create-gemini-chat.ts'
import { createGeminiMedia } from '../upstream/gemini/create-gemini-media.ts'
import { createGeminiRelay } from '../upstream/gemini/create-gemini-relay.ts'
import { createGeminiClient } from '../upstream/gemini/gemini-client.ts'
import { createGeminiVideo } from '../upstream/gemini/video/create-gemini-video.ts'
import { createVideoRelay } from '../upstream/gemini/video/create-video-relay.ts'
import { createKeyedExchange } from '../upstream/gemini/video/keyed-exchange.ts'
import { createOrderOperation } from '../upstream/gemini/video/order-operation.ts'
import { createKeyRing } from '../upstream/key-ring.ts'
import { createOpenaiUpstream } from '../upstream/openai/create-openai-upstream.ts'
import type { GeminiRelay } from '../upstream/relay-port.ts'
import type { ReportTry } from '../upstream/upstream-try.ts'
import type { VideoRelay, VideoUpstream } from '../upstream/video-port.ts'

/** Name of an upstream → its secrets; null where it asks for none. */
export type UpstreamKeys = ReadonlyMap<string, readonly string[] | null>

export type Upstreams = Upstream & {
  readonly relay: GeminiRelay
  readonly video: VideoUpstream
  readonly videoRelay: VideoRelay
  readonly stop: () => Promise<void>
}

export function createUpstreams(parts: {
  readonly config: Config
  readonly secrets: Secrets
  readonly upstreamKeys: UpstreamKeys
  /** All addresses of a host. */
  readonly resolve: (host: string) => Promise<readonly string[]>
  /** How long the upstream took, in ms. */
  readonly observeUpstream: (milliseconds: number) => void
  /** Upstream → whom its tries are told to. */
  readonly reportTryOf: (upstream: string) => ReportTry
}): Upstreams {
  const { config, secrets, upstreamKeys, observeUpstream, reportTryOf } = parts
  const reportTry = reportTryOf('vendor')
  const { upstream: settings } = config.settings
  const place = connectVendor(config, secrets)
  const keys = createKeyRing(place.keys)
  const timeouts = resolveTimeouts(settings)
  const { togetherBytes, ...eachBounds } = resolveReplyBounds(settings)
  const bounds = { ...eachBounds, heldBytes: createByteBudget(togetherBytes) }
  const exchange = {
    fetch,
    bounds,
    maximumRetries: settings.max_retries,
    wait: (milliseconds: number, signal: AbortSignal) => setTimeout(milliseconds, undefined, { signal }),
    random: Math.random,
    observeUpstream,
  }
  const newToolCallId = () => randomBytes(12).toString('hex')
  const geminiClient = { ...exchange, reportTry, baseUrl: place.baseUrl, keys, timeouts }
  const client = createGeminiClient(geminiClient)
  const vendor: Upstream = {
    chat: createGeminiChat(client, { newToolCallId }),
    media: createGeminiMedia(client),
  }
  const further = config.upstreams.map(entry => {
    const secrets = upstreamKeys.get(entry.name) ?? null
    const own = { ...exchange, ...entry, reportTry: reportTryOf(entry.name) }
    return [entry.name, createOpenaiUpstream({ ...own, secrets, newToolCallId })] as const
  })
  const keyedExchange = createKeyedExchange({
    fetch,
    baseUrl: place.baseUrl,
    keys,
    timeoutMs: timeouts.videos,
    bounds,
    resolve: parts.resolve,
    reportTry,
  })
  const orderOperation = createOrderOperation(
    {
      keys,
      maximumRetries: settings.max_retries,
      wait: milliseconds => setTimeout(milliseconds),
      random: Math.random,
    },
    keyedExchange,
  )
  return {
    ...chooseUpstream(new Map([['vendor', vendor], ...further])),
    relay: createGeminiRelay(geminiClient),
    video: createGeminiVideo(keyedExchange, orderOperation, bounds.silenceMs),
    videoRelay: createVideoRelay(keyedExchange, orderOperation),
    stop: place.stop,
  }
}

/** The vendor, or the sandbox inside this process when no vendor key is set. */
function connectVendor(config: Config, secrets: Secrets) {
  if (config.vendor !== null) {
    return { baseUrl: config.vendor.baseUrl, keys: secrets.vendorKeys, stop: async () => undefined }
  }
  const key = nameSandboxKey(secrets.adminKey)
  // Without a list of its own it has all models, also those that a reload adds.
  const sandbox = startSandbox({ port: 0, keys: [key] })
  return { baseUrl: sandbox.url, keys: [key], stop: sandbox.stop }
}

/** The same at each start: videos ordered before a restart belong to it, and a rehearsal finds them again. */
function nameSandboxKey(adminKey: string): string {
  return createHash('sha256').update(`fairgate sandbox key ${adminKey}`).digest('hex').slice(0, 32)
}
