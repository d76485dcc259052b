// The vendor's event stream → chat events, as they arrive, with the finish reason last.
import type { FinishReason } from '@fairgate/contracts/chat/response.ts'
import { afterAnswerMs, afterFinishMs, type StreamedAnswer } from '../../chat-events.ts'
import type { UpstreamStream } from '../../exchange.ts'
import { asRecord } from '../../narrow-json.ts'
import { parseReply } from '../../parse-json.ts'
import type { AnswerMetadata, ChatEvent, UsageReport } from '../../port.ts'
import { buildAnnotations } from './build-annotations.ts'
import { mapStreamChunk } from './map-stream-chunk.ts'

/** How much of an answer is kept for its citations, which count positions in it. */
const mostCitedText = 4 * 1024 * 1024

export class GeminiAnswer implements StreamedAnswer {
  readonly #stream: Pick<UpstreamStream, 'endWithin' | 'mapError'>
  readonly #newId: () => string
  #finish: FinishReason | null = null
  #metadata: AnswerMetadata | null = null
  #hasCalls = false
  #hasUsage = false
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
    const chunk = mapStreamChunk(this.#parse(payload), this.#newId)
    for (const event of chunk.events) {
      if (event.type === 'text-delta' && this.#text.length < mostCitedText) this.#text += event.text
      else if (event.type === 'tool-call') this.#hasCalls = true
      else if (event.type === 'usage') this.#hasUsage = true
      events.push(event.type === 'usage' ? { type: 'usage', usage: this.#keepSearches(event.usage) } : event)
    }
    this.#finish = chunk.finish ?? this.#finish
    // The answer is complete, so we do not wait long for the vendor to close.
    if (this.#finish !== null) this.#stream.endWithin(this.#hasUsage ? afterAnswerMs : afterFinishMs)
    this.#metadata = mergeMetadata(this.#metadata, chunk.metadata)
  }

  end(events: ChatEvent[]): void {
    if (this.#finish === null) throw new Error('The stream ended without a finish reason.')
    const metadata = this.#metadata
    if (metadata !== null) {
      const annotations = buildAnnotations(metadata.groundingMetadata, this.#text)
      events.push({ type: 'metadata', ...metadata, annotations })
    }
    // The vendor has no finish reason for calls.
    events.push({ type: 'finish', reason: this.#hasCalls ? 'tool_calls' : this.#finish })
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

  /** Each chunk repeats the tokens, but only the chunk that cites searches counts them. */
  #keepSearches(report: UsageReport): UsageReport {
    if (report.kind !== 'reported') return report
    this.#searches = Math.max(this.#searches, report.usage.searches ?? 0)
    if (this.#searches === 0) return report
    return { kind: 'reported', usage: { ...report.usage, searches: this.#searches } }
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
