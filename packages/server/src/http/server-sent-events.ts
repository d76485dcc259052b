// Builds a streamed reply from encoded events (or, under another type, from any pieces). Detects its end, keeps it alive while nothing
// comes, and ends it if its client stops reading or if it has run for too long.

export type EventStreamOptions = {
  readonly headers?: Readonly<Record<string, string>>
  /** Called at once when the client leaves or is cut off, also while the next event is awaited. */
  readonly onCancel?: () => void
}

type Piece = string | Uint8Array

/** Whole events, separators included: an async generator, or an object of its own. `return` is called when the reading stops. */
export type PieceStream = AsyncIterable<Piece> & {
  next(): Promise<IteratorResult<Piece, void>>
  return(value?: undefined): Promise<unknown>
  /** The keep-alive bytes for idle times; if absent or '', none. */
  keepAlive?(): string
}

export type StreamLimits = {
  /** How long the client may read nothing; it is cut off up to 4 s later. */
  readonly stalledSeconds: number
  /** How long the whole stream may last. */
  readonly longestMs: number
}

export type StreamConnection = {
  /** Sets the idle time-out of the connection in seconds; 0 lifts it. */
  readonly timeout: (seconds: number) => void
  readonly timers: StreamTimers
}

/** Each stream has one timer that runs all the time, so starting and cancelling must be cheap; it may be some ms late. */
export type StreamTimers = {
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly start: (milliseconds: number, run: () => void) => { readonly cancel: () => void }
}

/** The HTML standard's advice against proxies that end a silent reply (section 9.2.7); nginx waits for 60 s. */
export const keepAliveMs = 15_000

/** `stalled`: the client read nothing for too long. `overdue`: the stream lasted for too long. */
export type StreamEnding = 'whole' | 'left' | 'stalled' | 'overdue'

/** Never resolves. An orderly end would look like a complete answer; the connection is about to be closed instead. */
function never(): Promise<never> {
  return new Promise(() => undefined)
}

export type OpenStream = {
  /** Resolves when the stream has ended. */
  readonly ended: Promise<StreamEnding>
  /** From now on it ends if its client reads nothing for too long, or if it lasts for too long. */
  readonly guard: (connection: StreamConnection, limits: StreamLimits) => void
}

const streams = new WeakMap<Response, EventStream>()

/** Bun checks its idle time-outs every 4 s, and ends a connection up to that much too early. */
export function idleTimeoutOf({ stalledSeconds }: Pick<StreamLimits, 'stalledSeconds'>): number {
  return stalledSeconds + 4
}

export function serverSentEventsResponse(
  events: PieceStream,
  { headers, onCancel }: EventStreamOptions = {},
): Response {
  const stream = new EventStream(events, onCancel)
  // Bun accepts an async iterable as body and requests the next event when the last one is out; a ReadableStream costs a third more.
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

type Result = IteratorResult<Piece, void>
type Give = (result: Result | Promise<Result>) => void

/** The body of the reply: one object per stream, however many events it has. */
class EventStream implements OpenStream, AsyncIterable<Piece>, AsyncIterator<Piece, void> {
  readonly events: PieceStream
  readonly ended: Promise<StreamEnding>
  readonly #resolveEnded: (ending: StreamEnding) => void
  readonly #onCancel: (() => void) | undefined
  #connection: StreamConnection | null = null
  #limits: StreamLimits | null = null
  #watch: { readonly cancel: () => void } | null = null
  #endsAt = Number.POSITIVE_INFINITY
  #isFinished = false
  #isCut = false
  /** The next event, from when it is requested until it is delivered. */
  #asked: Promise<Result> | null = null
  /** Delivers what the client waits for; null while it does not wait. */
  #give: Give | null = null
  /** The client has read everything that it was sent. */
  #hasTaken = true
  #givenAt = 0

  constructor(events: PieceStream, onCancel: (() => void) | undefined) {
    const { promise, resolve } = Promise.withResolvers<StreamEnding>()
    this.events = events
    this.ended = promise
    this.#resolveEnded = resolve
    this.#onCancel = onCancel
  }

  guard(connection: StreamConnection, limits: StreamLimits): void {
    const now = connection.timers.now()
    this.#connection = connection
    this.#limits = limits
    this.#givenAt = now
    this.#endsAt = now + limits.longestMs
    this.#lookLater(now)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Result> {
    if (this.#isCut) return never()
    // The client has read everything: from here on the stream waits for the upstream. This costs 0.02 µs each time.
    this.#hasTaken = true
    this.#connection?.timeout(0)
    // The event is still under way if the client was only kept alive meanwhile.
    this.#asked ??= this.events.next()
    this.#asked.then(this.#arrive, this.#break)
    return new Promise(this.#wait)
  }

  async return(): Promise<Result> {
    const ending = this.#howLeft()
    if (!this.#isFinished) this.#onCancel?.()
    try {
      await this.events.return()
      return { done: true, value: undefined }
    } finally {
      this.#finish(ending)
    }
  }

  readonly #wait = (resolve: Give): void => {
    this.#give = resolve
  }

  /** Does nothing while the client does not wait: it will request the event again. */
  readonly #arrive = (result: Result): void => {
    const give = this.#startGiving()
    if (give === null) return
    this.#asked = null
    if (result.done === true) this.#finish('whole')
    give(result)
  }

  readonly #break = (error: unknown): void => {
    const give = this.#startGiving()
    if (give === null) return
    this.#finish('whole')
    give(Promise.reject(error))
  }

  /** From now on the client may take its time, up to the limit. */
  #startGiving(): Give | null {
    const give = this.#give
    if (this.#isCut || give === null) return null
    this.#give = null
    if (this.#connection !== null && this.#limits !== null) {
      this.#connection.timeout(idleTimeoutOf(this.#limits))
      this.#hasTaken = false
      this.#givenAt = this.#connection.timers.now()
    }
    return give
  }

  #howLeft(): StreamEnding {
    if (this.#connection === null || this.#limits === null || this.#hasTaken) return 'left'
    const waited = this.#connection.timers.now() - this.#givenAt
    return waited >= this.#limits.stalledSeconds * 1000 ? 'stalled' : 'left'
  }

  /** One timer for the whole stream, restarted only when it ends: events cost no timer of their own. */
  #lookLater(now: number): void {
    const { events } = this
    const silent = this.#hasTaken ? now - this.#givenAt : 0
    const nextLook = events.keepAlive === undefined ? Number.POSITIVE_INFINITY : keepAliveMs - silent
    const wait = Math.min(this.#endsAt - now, nextLook > 0 ? nextLook : keepAliveMs)
    this.#watch = this.#connection?.timers.start(wait, this.#look) ?? null
  }

  readonly #look = (): void => {
    const now = this.#connection?.timers.now() ?? 0
    if (this.#isFinished) return
    if (now >= this.#endsAt) this.#cut()
    else {
      if (this.#hasTaken && now - this.#givenAt >= keepAliveMs) this.#keepAlive()
      this.#lookLater(now)
    }
  }

  #keepAlive(): void {
    const value = this.events.keepAlive?.() ?? ''
    if (value !== '') this.#startGiving()?.({ done: false, value })
  }

  /** The events pause after the last delivered one, and Bun requests no other: both must be stopped. */
  #cut(): void {
    this.#isCut = true
    // Closes the connection within some seconds; there is no way to do so at once.
    this.#connection?.timeout(1)
    this.#onCancel?.()
    this.#finish('overdue')
    // The stream is over: no one could receive this error.
    this.events.return().catch(() => undefined)
  }

  #finish(ending: StreamEnding): void {
    this.#isFinished = true
    this.#watch?.cancel()
    this.#resolveEnded(ending)
  }
}

/** Undefined if the reply is not such a stream. */
export function streamOf(response: Response): OpenStream | undefined {
  return streams.get(response)
}

/** The events of this reply, for a reader other than the client; undefined if it is not such a stream. */
export function eventsOf(response: Response): PieceStream | undefined {
  return streams.get(response)?.events
}
