// The event stream of an OpenAI-compatible server → chat events, as they arrive, with whole tool calls and the finish reason last.
import { afterAnswerMs, afterFinishMs, isContent, type StreamedAnswer } from '../../chat-events.ts'
import type { UpstreamStream } from '../../exchange.ts'
import { asRecord, type JsonRecord } from '../../narrow-json.ts'
import { parseReply } from '../../parse-json.ts'
import type { ChatEvent, UsageReport } from '../../port.ts'
import { statusOfError } from '../map-openai-error.ts'
import { mapUsage } from '../map-usage.ts'
import { ToolCallAssembler } from './assemble-tool-calls.ts'
import { mapFinishReason } from './map-finish-reason.ts'
import { mapStreamChunk } from './map-stream-chunk.ts'

/** A stream that ends with neither a finish reason nor `[DONE]` is cut. */
export class OpenaiAnswer implements StreamedAnswer {
  readonly #stream: Pick<UpstreamStream, 'endWithin' | 'mapError'>
  readonly #assembler: ToolCallAssembler
  #finish: string | null = null
  #hasRefusal = false
  #hasContent = false
  /** Of the latest chunk that told it, as the server says it. */
  #usage: JsonRecord | null = null
  #isDone = false

  /** `newId`: fresh ids for tool calls that have none. */
  constructor(stream: Pick<UpstreamStream, 'endWithin' | 'mapError'>, newId: () => string) {
    this.#stream = stream
    this.#assembler = new ToolCallAssembler(newId)
  }

  get isDone(): boolean {
    return this.#isDone
  }

  add(payload: string, events: ChatEvent[]): void {
    if (payload === '[DONE]') {
      this.#isDone = true
      this.#finish ??= 'stop'
      return
    }
    const chunk = mapStreamChunk(this.#parse(payload))
    // A call is sent only when it is whole. Its size counts at once, for the charge if the client leaves now.
    let characters = 0
    for (const call of chunk.calls) characters += this.#assembler.add(call)
    if (characters > 0) events.push({ type: 'progress', characters })
    events.push(...chunk.events)
    this.#usage = chunk.usage ?? this.#usage
    this.#hasRefusal ||= chunk.hasRefusal
    this.#hasContent ||= chunk.events.some(isContent)
    this.#finish = chunk.finish ?? this.#finish
    // All is said: whether the server also closes, and when, is its own affair.
    if (this.#finish !== null) this.#stream.endWithin(this.#usage !== null ? afterAnswerMs : afterFinishMs)
  }

  usage(): UsageReport | null {
    return this.#usage === null ? null : mapUsage({ usage: this.#usage })
  }

  end(events: ChatEvent[]): void {
    if (this.#finish === null) throw new Error('The stream ended without a finish reason.')
    const calls = this.#assembler.take()
    for (const call of calls) events.push({ type: 'tool-call', call, isMeasured: true })
    const reason = mapFinishReason(this.#finish, {
      hasCalls: calls.length > 0,
      hasRefusal: this.#hasRefusal,
    })
    const isEmpty = reason === 'stop' && !this.#hasContent
    events.push(isEmpty ? { type: 'finish', reason, fault: 'empty' } : { type: 'finish', reason })
  }

  /** Errors after the start may be wrapped in an array; nothing else is. */
  #parse(payload: string) {
    const parsed = parseReply(payload)
    const chunk = asRecord(Array.isArray(parsed) ? parsed[0] : parsed)
    const hasError = chunk?.error !== undefined && chunk.error !== null
    if (hasError || chunk?.object === 'error') throw this.#stream.mapError(statusOfError(chunk), chunk)
    if (chunk === null || Array.isArray(parsed)) throw new Error('A chunk of the stream is not an object.')
    return chunk
  }
}
