// Builds a streamed reply from an async generator of already encoded events (or, under another type, of any pieces), knows when it has
// ended, and ends it when its client takes nothing any more or when it has run for too long.

export type EventStreamOptions = {
  readonly headers?: Readonly<Record<string, string>>
  /** Called at once when the client leaves or is cut off, also while the generator waits for its next event. */
  readonly onCancel?: () => void
}

type Piece = string | Uint8Array

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

type Stream = OpenStream & { readonly events: AsyncGenerator<Piece, void> }

const streams = new WeakMap<Response, Stream>()

/** Bun looks at its idle time-outs every 4 s, and ends a connection up to that much too early. */
export function idleTimeoutOf({ stalledSeconds }: Pick<StreamLimits, 'stalledSeconds'>): number {
  return stalledSeconds + 4
}

/** `events` yields whole events, separators included. Its `finally` runs when the stream ends for whatever reason. */
export function serverSentEventsResponse(
  events: AsyncGenerator<Piece, void>,
  { headers, onCancel }: EventStreamOptions = {},
): Response {
  const ended = Promise.withResolvers<StreamEnding>()
  let guarded: { readonly connection: StreamConnection; readonly limits: StreamLimits } | null = null
  let deadline: ReturnType<typeof setTimeout> | undefined
  let isFinished = false
  let isCut = false
  /** When the client was last given something that it has not taken yet. */
  let givenAt = 0
  const finish = (ending: StreamEnding) => {
    isFinished = true
    clearTimeout(deadline)
    ended.resolve(ending)
  }
  const giveToClient = () => {
    if (guarded === null) return
    guarded.connection.timeout(idleTimeoutOf(guarded.limits))
    givenAt = guarded.connection.stopwatch()
  }
  const howLeft = (): StreamEnding => {
    if (guarded === null) return 'left'
    const { connection, limits } = guarded
    const waited = connection.stopwatch() - givenAt
    return givenAt > 0 && waited >= limits.stalledSeconds * 1000 ? 'stalled' : 'left'
  }
  /** The generator is suspended where it gave its last event, and Bun asks for no other: both must be told. */
  const cut = () => {
    if (isFinished) return
    isCut = true
    // Closes the connection within some seconds; there is no way to do so at once.
    guarded?.connection.timeout(1)
    onCancel?.()
    finish('overdue')
    // Its `finally` has nowhere to throw to: the stream is over.
    events.return().catch(() => undefined)
  }
  // Bun takes an async iterable as body and asks for the next event when the last one is out; a ReadableStream costs a third more.
  const body: AsyncIterable<Piece> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        if (isCut) return never()
        // The client has taken all there was: from here on it is the upstream that is waited for. 0.02 µs each way.
        givenAt = 0
        guarded?.connection.timeout(0)
        try {
          const result = await events.next()
          if (isCut) return never()
          giveToClient()
          if (result.done === true) finish('whole')
          return result
        } catch (error) {
          giveToClient()
          finish('whole')
          throw error
        }
      },
      return: async () => {
        const ending = howLeft()
        if (!isFinished) onCancel?.()
        try {
          return await events.return()
        } finally {
          finish(ending)
        }
      },
    }),
  }
  const response = new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      ...headers,
    },
  })
  streams.set(response, {
    events,
    ended: ended.promise,
    guard: (connection, limits) => {
      guarded = { connection, limits }
      deadline = setTimeout(cut, limits.longestMs).unref()
    },
  })
  return response
}

/** Undefined when the reply is not such a stream. */
export function streamOf(response: Response): OpenStream | undefined {
  return streams.get(response)
}

/** The events of this reply, for one who reads them instead of the client; undefined when it is not such a stream. */
export function eventsOf(response: Response): AsyncGenerator<Piece, void> | undefined {
  return streams.get(response)?.events
}
