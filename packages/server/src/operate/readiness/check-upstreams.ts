// Checks the upstreams: what is known of their keys, and what one small call with each key has shown.
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

/** What became of a small call. */
export type TrialResult = {
  readonly upstream: string
  /** The last characters of the key, with dots before them; null where none is used, or where they would be much of it. */
  readonly key: string | null
  readonly model: string | null
  /** Null: it was answered. */
  readonly failure: { readonly keyFault: KeyFault | null; readonly message: string } | null
}

const sandboxFinding = warning(
  'no VENDOR_API_KEY is set: the embedded sandbox plays the provider',
  'Set VENDOR_API_KEY, or VENDOR_API_KEY_FILE, before real calls are wanted.',
)

/** What the server has seen of its keys, without a call. */
export function judgeHealth(upstreams: readonly UpstreamHealthFacts[], isSandbox: boolean): Finding[] {
  const findings = upstreams.map(({ upstream, keys, lastOutcome }) => {
    const resting = keys.filter(({ restMs }) => restMs !== null)
    const names = resting.map(({ key, fault }) => `${nameKey(key)} (${fault ?? 'unknown'})`).join(', ')
    const renew = `Replace it at ${upstream}'s, then run: fairgate catalog reload`
    if (keys.length > 0 && resting.length === keys.length)
      return fault(`${upstream}: every key rests: ${names}`, renew)
    if (resting.length > 0) return warning(`${upstream}: some keys rest: ${names}`, renew)
    const last = lastOutcome === null ? 'not asked yet' : `the last call: ${lastOutcome}`
    return ok(`${upstream}: ${keys.length} ${keys.length === 1 ? 'key' : 'keys'}, ${last}`)
  })
  return isSandbox ? [sandboxFinding, ...findings] : findings
}

export function judgeTrials(trials: readonly TrialResult[], isSandbox: boolean): Finding[] {
  const findings = trials.map(({ upstream, key, model, failure }) => {
    const name = key === null ? upstream : `${upstream}, ${nameKey(key)}`
    if (model === null)
      return warning(
        `${name}: no chat model of the catalog is there to try it with`,
        'Make one call to each of its models by hand.',
      )
    if (failure === null) return ok(`${name}: answered a call to ${model}`)
    return describeFailure(name, failure)
  })
  return isSandbox ? [sandboxFinding, ...findings] : findings
}

/** Messages of the gateway are for participants: where the key is at fault, organisers need other words. */
function describeFailure(name: string, { keyFault, message }: NonNullable<TrialResult['failure']>): Finding {
  switch (keyFault) {
    case 'refused':
      return fault(
        `${name}: the provider does not take it`,
        'Make a new key at the provider, put it in its place, and run: fairgate catalog reload',
      )
    case 'exhausted':
      return fault(
        `${name}: its quota or credit is used up`,
        'Raise it at the provider, or add another key and run: fairgate catalog reload',
      )
    case 'busy':
      return warning(
        `${name}: too many calls for the moment`,
        'Check again in a minute, and ask the provider for a larger quota.',
      )
    case null:
      return fault(
        `${name}: ${message}`,
        'Look at the address of the upstream, the name of the model there, and the network.',
      )
  }
}

function nameKey(lastFour: string | null): string {
  return lastFour === null ? 'a short key' : `key ${lastFour}`
}

const prompt = 'Say ok.'
/** The vendor's models that think first need some tokens before they say anything; an answer that is cut off will do. */
const outputCap = 16

/** The cheapest chat model of the upstream, with what a trial call costs at most; null where there is none. */
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
