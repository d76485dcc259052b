// Checks the upstreams: the known state of their keys, and the result of one small call with each key.
import type { CatalogModel } from '../../catalog/types.ts'
import { inputCeiling } from '../../ledger/estimate-tokens.ts'
import { costOf } from '../../ledger/price.ts'
import type { KeyFault, KeyHealth } from '../../upstream/key-ring.ts'
import type { ChatCall } from '../../upstream/port.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

export type UpstreamHealthFacts = {
  readonly upstream: string
  readonly lastOutcome: string | null
  readonly keys: readonly KeyHealth[]
}

/** The result of a small call. */
export type TrialResult = {
  readonly upstream: string
  /** The key's last characters after dots; null if no key is used, or if they would reveal much of it. */
  readonly key: string | null
  readonly model: string | null
  /** Null: it was answered. */
  readonly failure: { readonly keyFault: KeyFault | null; readonly message: string } | null
}

const sandboxFinding = warning(
  'no VENDOR_API_KEY is set: calls go to the embedded sandbox',
  'Set VENDOR_API_KEY, or VENDOR_API_KEY_FILE, before you need real calls.',
)

/** The server's knowledge of its keys, without a call. */
export function judgeHealth(upstreams: readonly UpstreamHealthFacts[], isSandbox: boolean): Finding[] {
  const findings = upstreams.map(({ upstream, keys, lastOutcome }) => {
    const resting = keys.filter(({ restMs }) => restMs !== null)
    const names = resting.map(({ key, fault }) => `${nameKey(key)} (${fault ?? 'unknown'})`).join(', ')
    const renew = `Replace it at ${upstream}, then run: fairgate catalog reload`
    if (keys.length > 0 && resting.length === keys.length)
      return fault(`${upstream}: all keys are resting: ${names}`, renew)
    if (resting.length > 0) return warning(`${upstream}: some keys are resting: ${names}`, renew)
    const last = lastOutcome === null ? 'no calls yet' : `last call: ${lastOutcome}`
    return ok(`${upstream}: ${keys.length} ${keys.length === 1 ? 'key' : 'keys'}, ${last}`)
  })
  return isSandbox ? [sandboxFinding, ...findings] : findings
}

export function judgeTrials(trials: readonly TrialResult[], isSandbox: boolean): Finding[] {
  const findings = trials.map(({ upstream, key, model, failure }) => {
    const name = key === null ? upstream : `${upstream}, ${nameKey(key)}`
    if (model === null)
      return warning(
        `${name}: the catalog has no chat model to try it with`,
        'Call each of its models once by hand.',
      )
    if (failure === null) return ok(`${name}: answered a call to ${model}`)
    return describeFailure(name, failure)
  })
  return isSandbox ? [sandboxFinding, ...findings] : findings
}

/** Gateway messages are for participants. If the key is at fault, organisers need a different text. */
function describeFailure(name: string, { keyFault, message }: NonNullable<TrialResult['failure']>): Finding {
  switch (keyFault) {
    case 'refused':
      return fault(
        `${name}: the provider rejects it`,
        'Create a new key at the provider, replace this one with it, and run: fairgate catalog reload',
      )
    case 'exhausted':
      return fault(
        `${name}: its quota or credit is used up`,
        'Raise it at the provider, or add another key and run: fairgate catalog reload',
      )
    case 'busy':
      return warning(
        `${name}: too many calls at the moment`,
        'Check again in a minute, or ask the provider for a larger quota.',
      )
    case null:
      return fault(
        `${name}: ${message}`,
        "Check the upstream's address, the model's name there, and the network.",
      )
  }
}

function nameKey(lastFour: string | null): string {
  return lastFour === null ? 'a short key' : `key ${lastFour}`
}

const prompt = 'Say ok.'
/** The vendor's thinking models need some tokens before they produce text; a truncated answer is enough. */
const outputCap = 16

/** The upstream's cheapest chat model, with the max cost of a trial call; null if there is none. */
export function planTrial(
  models: readonly CatalogModel[],
  upstream: string,
): { readonly call: ChatCall; readonly costNano: number } | null {
  const plans = models
    .filter(model => model.modality === 'chat' && model.upstream === upstream)
    .map(model => ({
      call: {
        model,
        outputCap,
        request: { model: model.id, messages: [{ role: 'user' as const, content: prompt }] },
      },
      costNano: ceilingOf(model),
    }))
    .sort((left, right) => left.costNano - right.costNano)
  return plans[0] ?? null
}

function ceilingOf({ price, promptOverhead }: CatalogModel): number {
  const inputText = inputCeiling(Buffer.byteLength(prompt), 1) + promptOverhead
  const { rates } = price.tiers[0]
  const output = (rates.reasoning ?? 0) > (rates.outputText ?? 0) ? 'reasoning' : 'outputText'
  const units = { inputText, [output]: outputCap, ...(rates.request === undefined ? {} : { request: 1 }) }
  return costOf(price, units, inputText)
}
