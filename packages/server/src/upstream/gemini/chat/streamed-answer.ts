// The vendor's event stream → chat events, as they arrive, with the finish reason last.
import { afterAnswerMs, afterFinishMs, isContent, type StreamedAnswer } from '../../chat-events.ts'
import type { UpstreamStream } from '../../exchange.ts'
import { asRecord, type JsonRecord } from '../../narrow-json.ts'
import { parseReply } from '../../parse-json.ts'
import type { AnswerMetadata, ChatEvent, UsageReport } from '../../port.ts'
import { buildAnnotations } from './build-annotations.ts'
import { findFault, mapFinishReason } from './map-finish-reason.ts'
import { mapStreamChunk } from './map-stream-chunk.ts'
import { countSearches, mapUsage } from './map-usage.ts'

/** How much of an answer is kept for its citations, which count positions in it. */
const mostCitedText = 4 * 1024 * 1024

export class GeminiAnswer implements StreamedAnswer {
  readonly #stream: Pick<UpstreamStream, 'endWithin' | 'mapError'>
  readonly #newId: () => string
  /** As the vendor says it. */
  #finish: string | null = null
  #hasContent = false
  #metadata: AnswerMetadata | null = null
  #hasCalls = false
  /** Of the latest chunk that told it, as the vendor says it. */
  #usage: JsonRecord | null = null
  #text = ''
  #searches = 0

  /** `newId`: fresh ids for tool calls. */
  constructor(stream: Pick<UpstreamStream, 'endWithin' | 'mapError'>, newId: () => string) {
    this.#stream = stream
    this.#newId = newId
  }

  /** The vendor sends no last event; its stream just ends. */
  readonly isDone = false

  add(payload: string, events: ChatEvent[]): void {
    const said = this.#parse(payload)
    const chunk = mapStreamChunk(said, this.#newId)
    for (const event of chunk.events) {
      if (event.type === 'text-delta' && this.#text.length < mostCitedText) this.#text += event.text
      else if (event.type === 'tool-call') this.#hasCalls = true
      this.#hasContent ||= isContent(event)
      events.push(event)
    }
    if (chunk.usage !== null) this.#keepUsage(said, chunk.usage)
    this.#finish = chunk.finish ?? this.#finish
    // All is said: whether the vendor also closes, and when, is its own affair.
    if (this.#finish !== null) this.#stream.endWithin(this.#usage !== null ? afterAnswerMs : afterFinishMs)
    this.#metadata = mergeMetadata(this.#metadata, chunk.metadata)
  }

  usage(): UsageReport | null {
    if (this.#usage === null) return null
    const report = mapUsage({ usageMetadata: this.#usage })
    if (report.kind !== 'reported' || this.#searches === 0) return report
    return { kind: 'reported', usage: { ...report.usage, searches: this.#searches } }
  }

  end(events: ChatEvent[]): void {
    if (this.#finish === null) throw new Error('The stream ended without a finish reason.')
    const metadata = this.#metadata
    if (metadata !== null) {
      const annotations = buildAnnotations(metadata.groundingMetadata, this.#text)
      events.push({ type: 'metadata', ...metadata, annotations })
    }
    // The vendor has no finish reason for calls.
    const reason = this.#hasCalls ? 'tool_calls' : mapFinishReason(this.#finish)
    const fault = findFault(this.#finish, !this.#hasContent)
    events.push(fault === null ? { type: 'finish', reason } : { type: 'finish', reason, fault })
  }

  /** Errors after the start may be wrapped in an array; nothing else is. */
  #parse(payload: string) {
    const parsed = parseReply(payload)
    const chunk = asRecord(Array.isArray(parsed) ? parsed[0] : parsed)
    const error = asRecord(chunk?.error)
    if (error !== null) throw this.#stream.mapError(typeof error.code === 'number' ? error.code : 500, chunk)
    if (chunk === null || Array.isArray(parsed)) throw new Error('A chunk of the stream is not an object.')
    return chunk
  }

  /** Tokens are told again with each chunk, searches only with the one that cites them. */
  #keepUsage(said: JsonRecord, usage: JsonRecord): void {
    this.#usage = usage
    const searches = countSearches(said)
    if (searches > this.#searches && mapUsage(said).kind === 'reported') this.#searches = searches
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
