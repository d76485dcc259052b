// The events of a chat stream, whatever its upstream speaks: those of one read together, and closed on every way out.
import type { UpstreamStream } from './exchange.ts'
import type { ChatEvent, ChatStream, UsageReport } from './port.ts'
import { EventDecoder } from './split-stream.ts'

/** An upstream that does not close is no failure of an answer that is complete: with its usage told, nothing can follow that anybody needs. */
export const afterAnswerMs = 1000
/** Without usage yet: it may still come, and without it the hold is charged. */
export const afterFinishMs = 10_000

/** One for all: what was reported is asked for. */
export const usageTold: ChatEvent = { type: 'usage' }

/** Whether it is part of the answer itself, as thoughts and figures are not. */
export function isContent({ type }: ChatEvent): boolean {
  return type === 'text-delta' || type === 'tool-call' || type === 'image' || type === 'audio-delta'
}

/** What one kind of upstream makes of its events. */
export type StreamedAnswer = {
  /** Adds what an event says. Throws ApiError for an error that stands in it. */
  readonly add: (payload: string, events: ChatEvent[]) => void
  /** What the latest event with usage has reported; null before the first. */
  readonly usage: () => UsageReport | null
  /** True once an event has said that nothing follows. */
  readonly isDone: boolean
  /** Adds what is told last. Throws for an answer that is cut. */
  readonly end: (events: ChatEvent[]) => void
}

export class ChatEventReader implements ChatStream {
  readonly upstreamKey: string | null
  readonly #stream: UpstreamStream
  readonly #answer: StreamedAnswer
  readonly #decoder = new EventDecoder()
  /** Thrown when the events before it have been told. */
  #failure: { readonly cause: unknown } | null = null
  #isOver = false
  #isClosed = false

  constructor(stream: UpstreamStream, answer: StreamedAnswer) {
    this.upstreamKey = stream.upstreamKey
    this.#stream = stream
    this.#answer = answer
  }

  /** Throws ApiError when the stream carries an error, is cut, or runs past its deadline. */
  async read(): Promise<readonly ChatEvent[] | null> {
    while (!this.#isOver) {
      const events: ChatEvent[] = []
      try {
        if (this.#failure !== null) throw this.#failure.cause
        const { value } = await this.#stream.read()
        this.#add(value ?? null, events)
      } catch (cause) {
        // What came before the failure is told first: it is charged.
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

  /** Nothing is waited for when all is said, but a connection that is read to its end serves the next call. */
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
