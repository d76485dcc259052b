// Builds a streamed reply from an async generator of already encoded events (or, under another type, of any pieces), and knows when it has ended.

export type EventStreamOptions = {
  readonly headers?: Readonly<Record<string, string>>
  /** Called at once when the client leaves, also while the generator waits for its next event. */
  readonly onCancel?: () => void
}

const streams = new WeakMap<
  Response,
  { readonly events: AsyncGenerator<string | Uint8Array, void>; readonly ended: Promise<void> }
>()

/** `events` yields whole events, separators included. Its `finally` runs when the stream ends for whatever reason. */
export function serverSentEventsResponse(
  events: AsyncGenerator<string | Uint8Array, void>,
  { headers, onCancel }: EventStreamOptions = {},
): Response {
  const ended = Promise.withResolvers<void>()
  let finished = false
  const finish = () => {
    finished = true
    ended.resolve()
  }
  // Bun takes an async iterable as body and asks for the next event when the last one is out; a ReadableStream costs a third more.
  const body: AsyncIterable<string | Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        try {
          const result = await events.next()
          if (result.done === true) finish()
          return result
        } catch (error) {
          finish()
          throw error
        }
      },
      return: async () => {
        if (!finished) onCancel?.()
        try {
          return await events.return()
        } finally {
          finish()
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
  streams.set(response, { events, ended: ended.promise })
  return response
}

/** Resolves when the stream of this reply has ended; undefined when the reply is not such a stream. */
export function endOfStream(response: Response): Promise<void> | undefined {
  return streams.get(response)?.ended
}

/** The events of this reply, for one who reads them instead of the client; undefined when it is not such a stream. */
export function eventsOf(response: Response): AsyncGenerator<string | Uint8Array, void> | undefined {
  return streams.get(response)?.events
}
