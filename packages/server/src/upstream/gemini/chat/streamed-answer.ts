// The vendor's event stream → chat events, as they arrive, with the finish reason last.
import { afterAnswerMs, afterFinishMs, isContent, type StreamedAnswer, usageTold } from '../../chat-events.ts'
import type { UpstreamStream } from '../../exchange.ts'
import { mapGeminiLogprobs } from '../../map-logprobs.ts'
import { asArray, asRecord, asString, type JsonRecord, parseReply } from '../../narrow-json.ts'
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

export type MappedChunk = {
  readonly events: readonly ChatEvent[]
  /** As the vendor says it; null where an earlier chunk counts. */
  readonly usage: JsonRecord | null
  /** As the vendor says it; null before the last chunk. A prompt that was blocked has a reason of ours. */
  readonly finish: string | null
  /** About the whole answer; null in most chunks. */
  readonly metadata: AnswerMetadata | null
}

/** `newId`: fresh ids for tool calls. */
export function mapStreamChunk(chunk: JsonRecord, newId: () => string): MappedChunk {
  const events: ChatEvent[] = []
  const candidate = asRecord(asArray(chunk.candidates)[0])
  if (candidate !== null) addDeltas(events, candidate, newId)
  const usage = findUsage(chunk)
  if (usage !== null) events.push(usageTold)
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
