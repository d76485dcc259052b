// Names a call's facts as OpenTelemetry does: the GenAI semantic conventions, version 0.1.0 of open-telemetry/semantic-conventions-genai
// (status: development), and the stable ones of HTTP. Their names are only here. Facts without a name there begin with `fairgate.`.
import type { UpstreamKind } from '../../catalog/types.ts'
import type { CallOutcome } from '../../ledger/call-record.ts'
import { countTokens } from '../../ledger/count-tokens.ts'
import { type NanoDollars, toUsdNumber } from '../../ledger/money.ts'
import type { Units } from '../../ledger/price.ts'

/** A call that has ended. Null if unknown, or if the call did not get that far. It has no text of the client, and no person. */
export type EndedCall = {
  readonly callId: string
  /** The kind of call, as the ledger names it. */
  readonly endpoint: string
  /** The path of the route. */
  readonly route: string
  readonly status: number
  readonly outcome: CallOutcome
  readonly code: string | null
  readonly teamId: string | null
  readonly keyHash: string | null
  /** As the client wrote it, if the catalog has such a model. */
  readonly modelAsked: string | null
  readonly modelServed: string | null
  readonly isStream: boolean
  /** Max output tokens of one choice, as sent upstream. */
  readonly outputCap: number | null
  readonly upstream: { readonly name: string; readonly kind: UpstreamKind } | null
  /** Requests sent upstream. */
  readonly attempts: number
  readonly firstByteMs: number | null
  /** Of the choices that have ended. */
  readonly finishReasons: readonly string[]
  readonly charge: { readonly cost: NanoDollars; readonly units: Units } | null
}

/** The name of the span, its attributes, and whether the call failed. A refusal is not a failure of this server. */
export type SpanDescription = {
  readonly name: string
  readonly attributes: Readonly<Record<string, string | number | boolean | string[]>>
  readonly isFailure: boolean
}

export function describeSpan(call: EndedCall): SpanDescription {
  const { outcome, code, modelAsked, modelServed, upstream, charge, firstByteMs, outputCap } = call
  const operation = operations[call.endpoint] ?? 'generate_content'
  const model = modelServed ?? modelAsked
  const isFailure = outcome === 'failed'
  return {
    name: model === null ? operation : `${operation} ${model}`,
    isFailure,
    attributes: withoutNull({
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': upstream === null ? null : providers[upstream.kind],
      'gen_ai.request.model': modelAsked,
      'gen_ai.request.stream': call.isStream || null,
      'gen_ai.request.max_tokens': outputCap,
      'gen_ai.response.model': modelServed,
      'gen_ai.response.finish_reasons': call.finishReasons.length === 0 ? null : [...call.finishReasons],
      'gen_ai.response.time_to_first_chunk': firstByteMs === null ? null : firstByteMs / 1000,
      ...(charge === null ? {} : describeUsage(charge.units)),
      'error.type': code ?? (isFailure ? '_OTHER' : null),
      'http.request.method': 'POST',
      'http.route': call.route,
      'http.response.status_code': call.status,
      'fairgate.call.id': call.callId,
      'fairgate.team.id': call.teamId,
      'fairgate.key.id': call.keyHash,
      'fairgate.outcome': outcome,
      'fairgate.cost': charge === null ? null : toUsdNumber(charge.cost),
      'fairgate.upstream': upstream?.name ?? null,
      'fairgate.upstream.attempts': call.attempts,
    }),
  }
}

/** Media models, too, generate content by the conventions. */
const operations: Readonly<Record<string, string>> = {
  chat: 'chat',
  responses: 'chat',
  messages: 'chat',
  embeddings: 'embeddings',
  embedContent: 'embeddings',
  batchEmbedContents: 'embeddings',
}

/** An OpenAI-compatible upstream is named by the API that it speaks, as the conventions advise; `fairgate.upstream` names it exactly. */
const providers: Readonly<Record<UpstreamKind, string>> = {
  vendor: 'gcp.gemini',
  openai: 'openai',
  anthropic: 'anthropic',
}

/** Empty if the call was not charged by its usage. */
function describeUsage(units: Units) {
  const { input, output } = countTokens(units)
  if (input + output === 0) return {}
  return {
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': output,
    'gen_ai.usage.cache_read.input_tokens': units.cachedInput ?? null,
    'gen_ai.usage.cache_creation.input_tokens': sumCacheWrites(units),
    'gen_ai.usage.reasoning.output_tokens': units.reasoning ?? null,
  }
}

function sumCacheWrites({ cacheWrite5m = 0, cacheWrite1h = 0 }: Units): number | null {
  return cacheWrite5m + cacheWrite1h || null
}

function withoutNull<Value>(members: Readonly<Record<string, Value | null>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(members).filter((member): member is [string, Value] => member[1] !== null),
  )
}
