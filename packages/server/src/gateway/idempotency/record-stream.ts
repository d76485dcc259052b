// Takes a streamed reply off its upstream whether or not its client still listens, so that it can be kept whole.
import { serverSentEventsResponse } from '../../http/server-sent-events.ts'

const lastEvent = 'data: [DONE]\n\n'

export type Recording = {
  /** The same reply, for the client. */
  readonly response: Response
  /** Resolves when `keep` has, and before the client can have the last event. */
  readonly kept: Promise<void>
}

type Piece = string | Uint8Array

/** `keep` gets all bytes once, before the event with `[DONE]` leaves, or the end of a stream without one; it never rejects. */
export function recordStream(
  events: AsyncGenerator<Piece, void>,
  headers: Readonly<Record<string, string>>,
  keep: (body: Uint8Array) => Promise<void>,
): Recording {
  const taken: Piece[] = []
  const kept = Promise.withResolvers<void>()
  let published = 0
  let failure: { readonly error: unknown } | null = null
  let isOver = false
  let isKept = false
  let news = Promise.withResolvers<void>()

  const publish = () => {
    published = taken.length
    news.resolve()
    news = Promise.withResolvers()
  }
  const finish = async () => {
    isKept = true
    await keep(Buffer.concat(taken.map(piece => Buffer.from(piece))))
    kept.resolve()
  }
  async function take(): Promise<void> {
    try {
      for await (const event of events) {
        taken.push(event)
        if (typeof event === 'string' && event.endsWith(lastEvent)) await finish()
        publish()
      }
      if (!isKept) await finish()
    } catch (error) {
      failure = { error }
      if (!isKept) await finish()
    }
    isOver = true
    publish()
  }
  async function* follow(): AsyncGenerator<Piece, void> {
    let next = 0
    for (;;) {
      for (; next < published; next += 1) yield taken[next] ?? ''
      if (failure !== null) throw failure.error
      if (isOver) return
      await news.promise
    }
  }
  void take()
  return { response: serverSentEventsResponse(follow(), { headers }), kept: kept.promise }
}
