// Builds a streamed reply from already encoded events (or, under another type, from any pieces), knows when it has ended, and ends it
// when its client takes nothing any more or when it has run for too long.

export type EventStreamOptions = {
  readonly headers?: Readonly<Record<string, string>>
  /** Called at once when the client leaves or is cut off, also while the next event is waited for. */
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

/** An orderly end would look like a whole answer: the connection is about to be closed instead. */
function never(): Promise<never> {
  return new Promise(() => undefined)
}

export type OpenStream = {
  /** Resolves when the stream has ended. */
  readonly ended: Promise<StreamEnding>
  /** From here on it ends when its client takes nothing, or when it lasts, for too long. */
  readonly guard: (connection: StreamConnection, limits: StreamLimits) => void
}

const streams = new WeakMap<Response, StreamBody>()

/** Bun looks at its idle time-outs every 4 s, and ends a connection up to that much too early. */
export function idleTimeoutOf({ stalledSeconds }: Pick<StreamLimits, 'stalledSeconds'>): number {
  return stalledSeconds + 4
}

/** Bun takes an async iterable as body and asks for the next event when the last one is out; a ReadableStream costs a third more. */
class StreamBody implements OpenStream, AsyncIterable<Piece> {
  readonly events: PieceStream
  readonly ended: Promise<StreamEnding>
  private readonly onCancel: (() => void) | undefined
  private readonly resolveEnded: (ending: StreamEnding) => void
  private connection: StreamConnection | null = null
  private limits: StreamLimits | null = null
  private deadline: ReturnType<typeof setTimeout> | undefined
  private isFinished = false
  private isCut = false
  /** When the client was last given something that it has not taken yet. */
  private givenAt = 0

  constructor(events: PieceStream, onCancel: (() => void) | undefined) {
    this.events = events
    this.onCancel = onCancel
    const { promise, resolve } = Promise.withResolvers<StreamEnding>()
    this.ended = promise
    this.resolveEnded = resolve
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Piece, void>> {
    if (this.isCut) return never()
    // The client has taken all there was: from here on it is the upstream that is waited for. 0.02 µs each way.
    this.givenAt = 0
    this.connection?.timeout(0)
    try {
      const result = await this.events.next()
      if (this.isCut) return never()
      this.giveToClient()
      if (result.done === true) this.finish('whole')
      return result
    } catch (error) {
      this.giveToClient()
      this.finish('whole')
      throw error
    }
  }

  async return(): Promise<IteratorResult<Piece, void>> {
    const ending = this.howLeft()
    if (!this.isFinished) this.onCancel?.()
    try {
      await this.events.return()
      return { done: true, value: undefined }
    } finally {
      this.finish(ending)
    }
  }

  guard(connection: StreamConnection, limits: StreamLimits): void {
    this.connection = connection
    this.limits = limits
    this.deadline = setTimeout(() => this.cut(), limits.longestMs).unref()
  }

  private finish(ending: StreamEnding): void {
    this.isFinished = true
    clearTimeout(this.deadline)
    this.resolveEnded(ending)
  }

  private giveToClient(): void {
    const { connection, limits } = this
    if (connection === null || limits === null) return
    connection.timeout(idleTimeoutOf(limits))
    this.givenAt = connection.stopwatch()
  }

  private howLeft(): StreamEnding {
    const { connection, limits, givenAt } = this
    if (connection === null || limits === null || givenAt === 0) return 'left'
    return connection.stopwatch() - givenAt >= limits.stalledSeconds * 1000 ? 'stalled' : 'left'
  }

  /** The events rest where the last one was given, and Bun asks for no other: both must be told. */
  private cut(): void {
    if (this.isFinished) return
    this.isCut = true
    // Closes the connection within some seconds; there is no way to do so at once.
    this.connection?.timeout(1)
    this.onCancel?.()
    this.finish('overdue')
    // What it throws has nowhere to go: the stream is over.
    this.events.return().catch(() => undefined)
  }
}

export function serverSentEventsResponse(
  events: PieceStream,
  { headers, onCancel }: EventStreamOptions = {},
): Response {
  const body = new StreamBody(events, onCancel)
  const response = new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      ...headers,
    },
  })
  streams.set(response, body)
  return response
}

/** Undefined when the reply is not such a stream. */
export function streamOf(response: Response): OpenStream | undefined {
  return streams.get(response)
}

/** The events of this reply, for one who reads them instead of the client; undefined when it is not such a stream. */
export function eventsOf(response: Response): PieceStream | undefined {
  return streams.get(response)?.events
}
