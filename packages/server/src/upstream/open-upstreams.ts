// Opens the upstreams: the vendor (or a sandbox) and those of the settings, behind the ports of the gateway, with their reports, and
// with the reload that applies other models and keys.
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { startSandbox } from '@fairgate/sandbox/start-sandbox.ts'
import type { Sources } from '../catalog/read-sources.ts'
import { createReload, warnOfRetirement } from '../catalog/reload-catalog.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { UpstreamKeys } from '../config/upstream-keys.ts'
import { resolveReplyBounds, resolveTimeouts } from '../config/upstream-settings.ts'
import type { Directory } from '../directory/create-directory.ts'
import { PatientTimers } from '../world/patient-timers.ts'
import type { World } from '../world/world.ts'
import { createAnthropicUpstream } from './anthropic/create-anthropic-upstream.ts'
import { chooseUpstream, type Upstream } from './choose-upstream.ts'
import { createGeminiUpstream } from './gemini/create-gemini-upstream.ts'
import { type KeyHealth, KeyRing } from './key-ring.ts'
import { createOpenaiUpstream, type OpenaiUpstreamDependencies } from './openai/create-openai-upstream.ts'
import { resolveHost } from './remote-media/find-public-address.ts'
import { createByteBudget } from './reply-limits.ts'
import type { Fetch } from './send-request.ts'
import { createUpstreamReports, type TrySums } from './upstream-tries.ts'

export type Upstreams = Awaited<ReturnType<typeof openUpstreams>>['upstreams']

/** `keys`: none if the upstream needs none. */
export type UpstreamHealth = {
  readonly upstream: string
  /** The result of the last try: `ok`, `client_left`, or the code of the error. Null before the first. */
  readonly lastOutcome: string | null
  /** Tries of the last five minutes. */
  readonly recentTries: TrySums
  readonly keys: readonly KeyHealth[]
}

/** `sandboxUrl`: of the sandbox that this process shares with others; null for one of its own if no vendor is configured. */
export async function openUpstreams(
  world: World,
  { upstreamKeys, readKeys, reloadable }: Pick<Sources, 'upstreamKeys' | 'readKeys' | 'reloadable'>,
  directory: Directory,
  sandboxUrl: string | null,
  /** Sends all requests of upstream calls. */
  fetch: Fetch,
) {
  const { config, secrets, metrics, clock, stopwatch, log, notices, onStop } = world
  const { upstream: settings } = config.settings
  warnOfRetirement(reloadable.catalog, clock(), notices)
  const reports = createUpstreamReports({ log, count: metrics.countTry, monotonicMs: stopwatch })
  const undone = new WeakSet<ApiError>()
  const surroundings = buildSurroundings(settings)
  const common = {
    ...surroundings,
    fetch,
    maximumRetries: settings.max_retries,
    observeUpstream: metrics.observeUpstream,
    noteUndone: (error: ApiError) => undone.add(error),
  }
  const place = await connectVendor({ config, secrets, keys: upstreamKeys.get('vendor') ?? null, sandboxUrl })
  onStop(place.stop)
  const rings = new Map<string, KeyRing | null>()
  const createRing = (upstream: string, keys: readonly string[]): KeyRing => {
    const ring = new KeyRing(keys, { clock, random: Math.random, report: reports.keyOf(upstream) })
    rings.set(upstream, ring)
    return ring
  }
  const vendor = createGeminiUpstream({
    ...common,
    resolve: resolveHost,
    clock,
    fetchForFiles: surroundings.fetch,
    baseUrl: place.baseUrl,
    keys: createRing('vendor', place.keys),
    timeouts: resolveTimeouts(settings),
    reportTry: reports.tryOf('vendor'),
  })
  const further = config.upstreams.map(entry => {
    const own = upstreamKeys.get(entry.name) ?? null
    if (own === null) rings.set(entry.name, null)
    const keys = own === null ? null : createRing(entry.name, own)
    const reportTry = reports.tryOf(entry.name)
    return [entry.name, createFurtherUpstream(entry.kind, { ...common, ...entry, keys, reportTry })] as const
  })
  const chosen = chooseUpstream(
    new Map<string, Upstream>([['vendor', vendor], ...further]),
    error => error instanceof ApiError && undone.has(error),
  )
  const describeHealth = (): readonly UpstreamHealth[] =>
    [...rings].map(([upstream, ring]) => ({
      upstream,
      lastOutcome: reports.lastOutcome(upstream),
      recentTries: reports.recentTries(upstream),
      keys: ring === null ? [] : ring.describe(),
    }))
  /** Applies other keys, upstream by upstream; calls under way end with the key that they have. */
  const useKeys = (keys: UpstreamKeys) => {
    for (const [upstream, secrets] of keys) {
      const change = secrets === null ? undefined : rings.get(upstream)?.replace(secrets)
      if (change !== undefined) reports.keysChanged(upstream, change)
    }
  }
  metrics.watch({
    keys: () =>
      describeHealth().flatMap(({ upstream, keys }) =>
        keys.map(({ id, restMs }) => ({ upstream, key: id, isResting: restMs !== null })),
      ),
  })
  const reloadCatalog = createReload({
    ...world,
    reloadable,
    modelsFile: config.modelsFile,
    readKeys: () => {
      const keys = readKeys()
      return () => useKeys(keys)
    },
    directory,
  })
  return { upstreams: { ...vendor, ...chosen, describeHealth }, reloadCatalog }
}

/** One upstream of the settings, by its kind. */
export function createFurtherUpstream(
  kind: Config['upstreams'][number]['kind'],
  dependencies: OpenaiUpstreamDependencies,
): Upstream {
  return kind === 'openai' ? createOpenaiUpstream(dependencies) : createAnthropicUpstream(dependencies)
}

/** The dependencies of every upstream. */
export function buildSurroundings(settings: Config['settings']['upstream']) {
  const { togetherBytes, ...eachBounds } = resolveReplyBounds(settings)
  return {
    fetch,
    bounds: { ...eachBounds, heldBytes: createByteBudget(togetherBytes) },
    timers: new PatientTimers(),
    wait: (milliseconds: number, signal: AbortSignal) => setTimeout(milliseconds, undefined, { signal }),
    random: Math.random,
    newToolCallId: () => randomBytes(12).toString('hex'),
  }
}

/** The vendor, or the sandbox if no vendor key is set: the shared one, or one inside this process. */
async function connectVendor(parts: {
  readonly config: Pick<Config, 'vendor'>
  readonly secrets: Secrets
  readonly keys: readonly string[] | null
  readonly sandboxUrl: string | null
}) {
  const { vendor } = parts.config
  if (vendor !== null && parts.keys !== null)
    return { baseUrl: vendor.baseUrl, keys: parts.keys, stop: async () => undefined }
  const key = nameSandboxKey(parts.secrets.adminKey)
  if (parts.sandboxUrl !== null) {
    const body = JSON.stringify({ [key]: 'valid' })
    const answer = await fetch(`${parts.sandboxUrl}/sandbox/keys`, { method: 'POST', body })
    if (!answer.ok) throw new Error(`The sandbox answered ${answer.status} when its key was set.`)
    return { baseUrl: parts.sandboxUrl, keys: [key], stop: async () => undefined }
  }
  // Without a list of its own it has all models, including those that a reload adds.
  const sandbox = startSandbox({ port: 0, keys: [key] })
  return { baseUrl: sandbox.url, keys: [key], stop: sandbox.stop }
}

/** The same at each start: videos ordered before a restart belong to it, and a rehearsal finds them again. */
function nameSandboxKey(adminKey: string): string {
  return createHash('sha256').update(`fairgate sandbox key ${adminKey}`).digest('hex').slice(0, 32)
}

/** For `/health/ready` of the admin door: no secret, and no more of a key than its last four characters. */
export function writeHealth({ upstream, lastOutcome, keys }: UpstreamHealth): object {
  return {
    upstream,
    last_outcome: lastOutcome,
    keys: keys.map(({ id, key, fault, restMs }) => ({
      id,
      key,
      state: restMs === null ? 'ready' : 'resting',
      ...(restMs === null ? {} : { fault, next_trial_seconds: Math.ceil(restMs / 1000) }),
    })),
  }
}
