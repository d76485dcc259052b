// Converts the vendor's event stream to chat events, as they arrive, with the finish reason last.
import { type SaidChunk, StreamedAnswer, usageReported } from '../../chat-events.ts'
import type { UpstreamStream } from '../../exchange.ts'
import { mapGeminiLogprobs } from '../../map-logprobs.ts'
import { asArray, asRecord, asString, type JsonRecord } from '../../narrow-json.ts'
import type { AnswerMetadata, ChatEvent, UsageReport } from '../../port.ts'
import {
  buildAnnotations,
  buildToolCall,
  findFault,
  mapFinishReason,
  readParts,
} from './map-chat-response.ts'
import { countSearches, findUsage, mapUsage } from './map-usage.ts'

/** How much of an answer is kept for its citations, which count positions in it. */
const maxCitedText = 4 * 1024 * 1024

export class GeminiAnswer extends StreamedAnswer {
  readonly #newId: () => string
  #metadata: AnswerMetadata | null = null
  #hasCalls = false
  #text = ''
  #searches = 0

  /** `newId`: fresh ids for tool calls. */
  constructor(stream: Pick<UpstreamStream, 'endWithin' | 'mapError'>, newId: () => string) {
    super(stream)
    this.#newId = newId
  }

  protected override findError(said: JsonRecord | null): number | null {
    const error = asRecord(said?.error)
    if (error === null) return null
    return typeof error.code === 'number' ? error.code : 500
  }

  protected override read(said: JsonRecord): SaidChunk {
    const chunk = mapStreamChunk(said, this.#newId)
    for (const event of chunk.events) {
      if (event.type === 'text-delta' && this.#text.length < maxCitedText) this.#text += event.text
      else if (event.type === 'tool-call') this.#hasCalls = true
    }
    // Tokens are repeated in each chunk, searches only in the one that cites them.
    const searches = chunk.usage === null ? 0 : countSearches(said)
    if (searches > this.#searches && mapUsage(said).kind === 'reported') this.#searches = searches
    this.#metadata = mergeMetadata(this.#metadata, chunk.metadata)
    return chunk
  }

  override usage(): UsageReport | null {
    if (this.reported === null) return null
    const report = mapUsage({ usageMetadata: this.reported })
    if (report.kind !== 'reported' || this.#searches === 0) return report
    return { kind: 'reported', usage: { ...report.usage, searches: this.#searches } }
  }

  protected override addLast(events: ChatEvent[], finish: string): void {
    const metadata = this.#metadata
    if (metadata !== null) {
      const annotations = buildAnnotations(metadata.groundingMetadata, this.#text)
      events.push({ type: 'metadata', ...metadata, annotations })
    }
    // The vendor has no finish reason for calls.
    const reason = this.#hasCalls ? 'tool_calls' : mapFinishReason(finish)
    const fault = findFault(finish, !this.hasContent)
    events.push(fault === null ? { type: 'finish', reason } : { type: 'finish', reason, fault })
  }
}

/** The latest of each kind counts. */
function mergeMetadata(known: AnswerMetadata | null, next: AnswerMetadata | null): AnswerMetadata | null {
  if (known === null || next === null) return next ?? known
  return {
    citationMetadata: next.citationMetadata ?? known.citationMetadata,
    groundingMetadata: next.groundingMetadata ?? known.groundingMetadata,
    urlContextMetadata: next.urlContextMetadata ?? known.urlContextMetadata,
  }
}

/** A blocked prompt has a finish reason of ours. `metadata`: about the whole answer; null in most chunks. */
export type MappedChunk = SaidChunk & { readonly metadata: AnswerMetadata | null }

/** `newId`: fresh ids for tool calls. */
export function mapStreamChunk(chunk: JsonRecord, newId: () => string): MappedChunk {
  const events: ChatEvent[] = []
  const candidate = asRecord(asArray(chunk.candidates)[0])
  if (candidate !== null) addDeltas(events, candidate, newId)
  const usage = findUsage(chunk)
  if (usage !== null) events.push(usageReported)
  return {
    events,
    usage,
    finish: readFinish(chunk, candidate),
    metadata: candidate === null ? null : readMetadata(candidate),
  }
}

function addDeltas(events: ChatEvent[], candidate: JsonRecord, newId: () => string): void {
  const { text, reasoning, signature, calls, images, audio } = readParts(candidate)
  const logprobs = mapGeminiLogprobs(candidate)
  if (reasoning !== null && reasoning !== '') events.push({ type: 'reasoning-delta', text: reasoning })
  if (logprobs !== null) events.push({ type: 'text-delta', text: text ?? '', logprobs })
  else if (text !== null && text !== '') events.push({ type: 'text-delta', text })
  for (const call of calls) events.push({ type: 'tool-call', call: buildToolCall(call, newId) })
  for (const image of images) events.push({ type: 'image', image })
  for (const piece of audio) events.push({ type: 'audio-delta', audio: piece })
  if (signature !== null) events.push({ type: 'signature', signature })
}

function readMetadata(candidate: JsonRecord): AnswerMetadata | null {
  const { citationMetadata = null, groundingMetadata = null, urlContextMetadata = null } = candidate
  const isEmpty = citationMetadata === null && groundingMetadata === null && urlContextMetadata === null
  return isEmpty ? null : { citationMetadata, groundingMetadata, urlContextMetadata }
}

/** A blocked prompt has no candidate; its block reason ends the answer. */
function readFinish(chunk: JsonRecord, candidate: JsonRecord | null): string | null {
  const reason = asString(candidate?.finishReason)
  if (reason !== null) return reason
  return asString(asRecord(chunk.promptFeedback)?.blockReason) === null ? null : 'SAFETY'
}
