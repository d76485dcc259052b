// Builds a streamed reply from already encoded events (or, under another type, from any pieces), knows when it has ended, and ends it
// when its client takes nothing any more or when it has run for too long.

export type EventStreamOptions = {
  readonly headers?: Readonly<Record<string, string>>
  /** Called at once when the client leaves or is cut off, also while the next event is awaited. */
  readonly onCancel?: () => void
}

type Piece = string | Uint8Array

/** Whole events, separators included: an async generator, or an object of its own. `return` is called when nobody reads on. */
export type PieceStream = AsyncIterable<Piece> & {
  next(): Promise<IteratorResult<Piece, void>>
  return(value?: undefined): Promise<unknown>
}

export type StreamLimits = {
  /** How long the client may take nothing; it is cut off up to 4 s later. */
  readonly stalledSeconds: number
  /** How long the whole stream may last. */
  readonly longestMs: number
}

export type StreamConnection = {
  /** Sets the idle time-out of the connection in seconds; 0 lifts it. */
  readonly timeout: (seconds: number) => void
  /** Monotonic milliseconds. */
  readonly stopwatch: () => number
}

/** `stalled`: the client took nothing for too long. `overdue`: the stream lasted for too long. */
export type StreamEnding = 'whole' | 'left' | 'stalled' | 'overdue'

/** Never resolves. An orderly end would look like a complete answer, and the connection is about to be closed instead. */
function never(): Promise<never> {
  return new Promise(() => undefined)
}

export type OpenStream = {
  /** Resolves when the stream has ended. */
  readonly ended: Promise<StreamEnding>
  /** From here on it ends when its client takes nothing, or when it lasts, for too long. */
  readonly guard: (connection: StreamConnection, limits: StreamLimits) => void
}

const streams = new WeakMap<Response, EventStream>()

/** Bun looks at its idle time-outs every 4 s, and ends a connection up to that much too early. */
export function idleTimeoutOf({ stalledSeconds }: Pick<StreamLimits, 'stalledSeconds'>): number {
  return stalledSeconds + 4
}

export function serverSentEventsResponse(
  events: PieceStream,
  { headers, onCancel }: EventStreamOptions = {},
): Response {
  const stream = new EventStream(events, onCancel)
  // Bun takes an async iterable as body and asks for the next event when the last one is out; a ReadableStream costs a third more.
  const response = new Response(stream, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      ...headers,
    },
  })
  streams.set(response, stream)
  return response
}

/** The body of the reply: one object for a stream, whatever the number of its events. */
class EventStream implements OpenStream, AsyncIterable<Piece>, AsyncIterator<Piece, void> {
  readonly events: PieceStream
  readonly ended: Promise<StreamEnding>
  readonly #resolveEnded: (ending: StreamEnding) => void
  readonly #onCancel: (() => void) | undefined
  #connection: StreamConnection | null = null
  #limits: StreamLimits | null = null
  #deadline: ReturnType<typeof setTimeout> | undefined
  #isFinished = false
  #isCut = false
  /** When the client was last given something that it has not taken yet. */
  #givenAt = 0

  constructor(events: PieceStream, onCancel: (() => void) | undefined) {
    const { promise, resolve } = Promise.withResolvers<StreamEnding>()
    this.events = events
    this.ended = promise
    this.#resolveEnded = resolve
    this.#onCancel = onCancel
  }

  guard(connection: StreamConnection, limits: StreamLimits): void {
    this.#connection = connection
    this.#limits = limits
    this.#deadline = setTimeout(() => this.#cut(), limits.longestMs).unref()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<Piece, void>> {
    if (this.#isCut) return never()
    // The client has taken everything: from here on the stream waits for the upstream. This costs 0.02 µs each time.
    this.#givenAt = 0
    this.#connection?.timeout(0)
    return this.events.next().then(this.#give, this.#break)
  }

  async return(): Promise<IteratorResult<Piece, void>> {
    const ending = this.#howLeft()
    if (!this.#isFinished) this.#onCancel?.()
    try {
      await this.events.return()
      return { done: true, value: undefined }
    } finally {
      this.#finish(ending)
    }
  }

  readonly #give = (
    result: IteratorResult<Piece, void>,
  ): IteratorResult<Piece, void> | Promise<IteratorResult<Piece, void>> => {
    if (this.#isCut) return never()
    this.#giveToClient()
    if (result.done === true) this.#finish('whole')
    return result
  }

  readonly #break = (error: unknown): never => {
    this.#giveToClient()
    this.#finish('whole')
    throw error
  }

  #giveToClient(): void {
    if (this.#connection === null || this.#limits === null) return
    this.#connection.timeout(idleTimeoutOf(this.#limits))
    this.#givenAt = this.#connection.stopwatch()
  }

  #howLeft(): StreamEnding {
    if (this.#connection === null || this.#limits === null) return 'left'
    const waited = this.#connection.stopwatch() - this.#givenAt
    return this.#givenAt > 0 && waited >= this.#limits.stalledSeconds * 1000 ? 'stalled' : 'left'
  }

  /** The events rest where the last one was given, and Bun asks for no other: both must be told. */
  #cut(): void {
    if (this.#isFinished) return
    this.#isCut = true
    // Closes the connection within some seconds; there is no way to do so at once.
    this.#connection?.timeout(1)
    this.#onCancel?.()
    this.#finish('overdue')
    // The stream is over: nobody could be told what this throws.
    this.events.return().catch(() => undefined)
  }

  #finish(ending: StreamEnding): void {
    this.#isFinished = true
    clearTimeout(this.#deadline)
    this.#resolveEnded(ending)
  }
}

/** Undefined when the reply is not such a stream. */
export function streamOf(response: Response): OpenStream | undefined {
  return streams.get(response)
}

/** The events of this reply, for one who reads them instead of the client; undefined when it is not such a stream. */
export function eventsOf(response: Response): PieceStream | undefined {
  return streams.get(response)?.events
}
