// Tries each key of each upstream with one small call, using the same adapters that serve the participants.
import type { CatalogModel } from '../../catalog/types.ts'
import type { Config } from '../../config/config.ts'
import type { UpstreamKeys } from '../../config/upstream-keys.ts'
import { resolveTimeouts } from '../../config/upstream-settings.ts'
import { createGeminiUpstream } from '../../upstream/gemini/create-gemini-upstream.ts'
import { KeyRing } from '../../upstream/key-ring.ts'
import { buildSurroundings, createFurtherUpstream } from '../../upstream/open-upstreams.ts'
import type { ChatUpstream } from '../../upstream/port.ts'
import { resolveHost } from '../../upstream/remote-media/find-public-address.ts'
import { messageOf } from '../../world/message-of.ts'
import type { World } from '../../world/world.ts'
import { planTrial, type TrialResult } from './check-upstreams.ts'

type LoneKey = {
  readonly upstream: string
  /** Null if the upstream needs none. */
  readonly ring: KeyRing | null
  readonly open: () => ChatUpstream
}

export type TrialParts = Pick<World, 'clock'> & {
  readonly config: Pick<Config, 'settings' | 'upstreams' | 'vendor'>
  readonly keys: UpstreamKeys
  readonly models: readonly CatalogModel[]
}

/**
 * The max cost of one call with each key, before any is made. Empty if the keys or the catalog cannot be read: their own checks report why.
 */
export function priceTrials(read: {
  readonly keys: () => UpstreamKeys
  readonly models: () => readonly CatalogModel[]
}): { readonly calls: number; readonly costNano: number } {
  try {
    return sumTrials(read.keys(), read.models())
  } catch {
    return { calls: 0, costNano: 0 }
  }
}

function sumTrials(keys: UpstreamKeys, models: readonly CatalogModel[]) {
  const planned = [...keys].flatMap(([upstream, secrets]) => {
    const plan = planTrial(models, upstream)
    return plan === null ? [] : (secrets ?? ['']).map(() => plan.costNano)
  })
  return { calls: planned.length, costNano: planned.reduce((sum, cost) => sum + cost, 0) }
}

/** One at a time for each upstream, so that a check causes no load. Never rejects because of an upstream. */
export async function tryUpstreamKeys(parts: TrialParts): Promise<TrialResult[]> {
  const results: TrialResult[] = []
  for (const lone of listLoneKeys(parts)) results.push(await tryKey(lone, parts.models))
  return results
}

async function tryKey(
  { upstream, ring, open }: LoneKey,
  models: readonly CatalogModel[],
): Promise<TrialResult> {
  const key = ring?.describe()[0]?.key ?? null
  const plan = planTrial(models, upstream)
  if (plan === null) return { upstream, key, model: null, failure: null }
  const model = plan.call.model.id
  try {
    await open().complete(plan.call, null, null)
    return { upstream, key, model, failure: null }
  } catch (error) {
    const keyFault = ring?.describe()[0]?.fault ?? null
    return { upstream, key, model, failure: { keyFault, message: messageOf(error) } }
  }
}

/** Such a call should take no longer, even if the settings allow participants more. */
const trialSeconds = 20

function listLoneKeys({ config, keys, clock }: TrialParts): LoneKey[] {
  const surroundings = buildSurroundings(config.settings.upstream)
  const timeouts = resolveTimeouts({ timeout_seconds: trialSeconds })
  const common = { ...surroundings, timeouts, maximumRetries: 0, resolve: resolveHost, clock }
  const createRing = (secret: string) => new KeyRing([secret], { clock, random: Math.random })
  const { vendor } = config
  const ofVendor = (keys.get('vendor') ?? []).flatMap(secret => {
    if (vendor === null) return []
    const ring = createRing(secret)
    const open = () => createGeminiUpstream({ ...common, baseUrl: vendor.baseUrl, keys: ring }).chat
    return [{ upstream: 'vendor', ring, open }]
  })
  const further = config.upstreams.flatMap(entry => {
    const secrets = keys.get(entry.name) ?? [null]
    return secrets.map(secret => {
      const ring = secret === null ? null : createRing(secret)
      const open = () => createFurtherUpstream(entry.kind, { ...common, ...entry, timeouts, keys: ring }).chat
      return { upstream: entry.name, ring, open }
    })
  })
  return [...ofVendor, ...further]
}
