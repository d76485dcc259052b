// The events of a chat stream in any upstream's dialect: those of one read together, and closed on every way out.
import type { UpstreamStream } from './exchange.ts'
import { asRecord, type JsonRecord, parseReply } from './narrow-json.ts'
import type { ChatEvent, ChatStream, UsageReport } from './port.ts'
import { EventDecoder } from './split-stream.ts'

/** A complete answer is not a failure if its upstream does not close: once usage has arrived, nothing that matters can follow. */
const afterAnswerMs = 1000
/** Without usage yet: it may still come, and without it the hold is charged. */
const afterFinishMs = 10_000

/** Shared: usage is read separately. */
export const usageReported: ChatEvent = { type: 'usage' }

/** True if it is part of the answer itself, as thoughts and figures are not. */
function isContent({ type }: ChatEvent): boolean {
  return type === 'text-delta' || type === 'tool-call' || type === 'image' || type === 'audio-delta'
}

/** The content of one event. */
export type SaidChunk = {
  readonly events: readonly ChatEvent[]
  /** In the upstream's words; null if an earlier chunk counts. */
  readonly usage: JsonRecord | null
  /** In the upstream's words; null before the last chunk. */
  readonly finish: string | null
}

/** One kind of upstream's reading of its events. */
export abstract class StreamedAnswer {
  /** True once an event has said that nothing follows. */
  isDone = false
  protected finish: string | null = null
  protected hasContent = false
  /** From the latest event that had it, in the upstream's words. */
  protected reported: JsonRecord | null = null
  readonly #stream: Pick<UpstreamStream, 'endWithin' | 'mapError'>

  constructor(stream: Pick<UpstreamStream, 'endWithin' | 'mapError'>) {
    this.#stream = stream
  }

  /** The usage in the latest event that had some; null before the first. */
  abstract usage(): UsageReport | null
  /** The status of an error in an event; null if there is none. */
  protected abstract findError(said: JsonRecord | null): number | null
  protected abstract read(said: JsonRecord): SaidChunk
  /** Adds the final events. */
  protected abstract addLast(events: ChatEvent[], finish: string): void

  /** Adds the contents of an event. Throws ApiError for an error in it. */
  add(payload: string, events: ChatEvent[]): void {
    const parsed = parseReply(payload)
    const said = asRecord(Array.isArray(parsed) ? parsed[0] : parsed)
    const status = this.findError(said)
    if (status !== null) throw this.#stream.mapError(status, said)
    // Errors after the start may be wrapped in an array; nothing else is.
    if (said === null || Array.isArray(parsed)) throw new Error('A chunk of the stream is not an object.')
    const chunk = this.read(said)
    for (const event of chunk.events) {
      this.hasContent ||= isContent(event)
      events.push(event)
    }
    this.reported = chunk.usage ?? this.reported
    this.finish = chunk.finish ?? this.finish
    // The answer is complete: whether and when the upstream closes does not matter.
    if (this.finish !== null) this.#stream.endWithin(this.reported !== null ? afterAnswerMs : afterFinishMs)
  }

  /** Adds the final events. Throws for an answer that is cut off. */
  end(events: ChatEvent[]): void {
    if (this.finish === null) throw new Error('The stream ended without a finish reason.')
    this.addLast(events, this.finish)
  }
}

export class ChatEventReader implements ChatStream {
  readonly upstreamKey: string | null
  readonly #stream: UpstreamStream
  readonly #answer: StreamedAnswer
  readonly #decoder = new EventDecoder()
  /** Thrown once the events before it have been delivered. */
  #failure: { readonly cause: unknown } | null = null
  #isOver = false
  #isClosed = false

  constructor(stream: UpstreamStream, answer: StreamedAnswer) {
    this.upstreamKey = stream.upstreamKey
    this.#stream = stream
    this.#answer = answer
  }

  /** Throws ApiError if the stream carries an error, is cut off, or runs past its deadline. */
  async read(): Promise<readonly ChatEvent[] | null> {
    while (!this.#isOver) {
      const events: ChatEvent[] = []
      try {
        if (this.#failure !== null) throw this.#failure.cause
        const { value } = await this.#stream.read()
        this.#add(value ?? null, events)
      } catch (cause) {
        // Events before the failure are delivered first: they are charged.
        if (events.length === 0) throw this.#fail(cause)
        this.#failure = { cause }
      }
      if (events.length > 0) return events
    }
    return null
  }

  usage(): UsageReport | null {
    return this.#answer.usage()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#stream.close()
  }

  /** `bytes`: null when the stream has ended. */
  #add(bytes: Uint8Array | null, events: ChatEvent[]): void {
    for (const payload of this.#decoder.push(bytes)) {
      this.#answer.add(payload, events)
      if (this.#answer.isDone) break
    }
    if (bytes !== null && !this.#answer.isDone) return
    this.#answer.end(events)
    this.#isOver = true
    if (this.#answer.isDone) this.#readOut()
    else this.close()
  }

  #fail(cause: unknown): unknown {
    this.#isOver = true
    const error = this.#stream.explain(cause)
    this.close()
    return error
  }

  /** A complete answer waits for nothing, but a connection that is read to its end serves the next call. */
  #readOut(): void {
    this.#stream.endWithin(afterAnswerMs)
    const readOn = async (): Promise<void> => {
      while (!(await this.#stream.read()).done);
    }
    readOn()
      .catch(() => undefined)
      .finally(() => this.close())
  }
}
