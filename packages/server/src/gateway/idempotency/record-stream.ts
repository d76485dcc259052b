// Takes a streamed reply off its upstream whether or not its client still listens, so that it can be kept whole, within bounds.
import { serverSentEventsResponse } from '../../http/server-sent-events.ts'
import type { ByteBudget } from '../../upstream/byte-budget.ts'

const lastEvent = 'data: [DONE]\n\n'

export type Recording = {
  /** The same reply, for the client. */
  readonly response: Response
  /** Resolves when `keep` has, and before the client can have the last event. */
  readonly kept: Promise<void>
}

export type RecordingBounds = {
  /** The largest answer that is kept, in bytes. */
  readonly mostBytes: number
  /** What all recordings may have in memory together. */
  readonly recordedBytes: ByteBudget
}

type Piece = string | Uint8Array

type RecordOptions = RecordingBounds & {
  readonly headers: Readonly<Record<string, string>>
  /**
   * Gets all bytes once, before the event with `[DONE]` leaves, or the end of a stream without one; null for an answer beyond a
   * bound. It never rejects.
   */
  readonly keep: (body: Uint8Array | null) => Promise<void>
  /** Aborts when the client has left. */
  readonly signal: AbortSignal
  /** Ends the stream as if its client had left: it is stopped upstream, and charged as far as it came. */
  readonly stop: () => void
}

type Taken = { readonly piece: Piece; readonly counted: number }

const had: Taken = { piece: '', counted: 0 }

/**
 * Within the bounds the stream is read as fast as it comes. Beyond one of them nothing more is kept: it is then read only as its
 * client reads, and stopped when there is no client.
 */
export function recordStream(events: AsyncGenerator<Piece, void>, options: RecordOptions): Recording {
  const { mostBytes, recordedBytes, headers, keep, signal, stop } = options
  const kept = Promise.withResolvers<void>()
  /** Pieces that are to be kept, or that the client has not had yet. */
  let taken: Taken[] = []
  /** Index in `taken` of what the client gets next. */
  let next = 0
  /** Pieces of `taken` that the client may have. */
  let published = 0
  let length = 0
  let isKeeping = true
  let hasLeft = false
  let failure: { readonly error: unknown } | null = null
  let isOver = false
  let isFinished = false
  let news = Promise.withResolvers<void>()
  let demand = Promise.withResolvers<void>()

  const publish = () => {
    published = taken.length
    news.resolve()
    news = Promise.withResolvers()
  }
  const ask = () => {
    demand.resolve()
    demand = Promise.withResolvers()
  }
  /** What nobody needs any more: all of it when the client has left, else what it has had. */
  const forget = (from: number, to: number) => {
    for (let index = from; index < to; index += 1) {
      recordedBytes.give(taken[index]?.counted ?? 0)
      taken[index] = had
    }
    if (to < taken.length || published < taken.length) return
    taken = []
    next = 0
    published = 0
  }
  const stopIfUseless = () => {
    if (isKeeping || !hasLeft) return
    forget(0, taken.length)
    if (!isFinished) stop()
  }
  const stopKeeping = () => {
    isKeeping = false
    if (hasLeft) stopIfUseless()
    else forget(0, next)
  }
  const leave = () => {
    hasLeft = true
    stopIfUseless()
    ask()
  }
  const put = (piece: Piece) => {
    const bytes = Buffer.byteLength(piece)
    if (isKeeping && (length + bytes > mostBytes || !recordedBytes.take(bytes))) stopKeeping()
    length += bytes
    // Beyond the bounds there is one piece at a time, which only waits for the client.
    taken.push({ piece, counted: isKeeping ? bytes : 0 })
  }
  const join = (): Uint8Array => {
    const body = Buffer.allocUnsafe(length)
    let at = 0
    for (const { piece } of taken)
      at += typeof piece === 'string' ? body.write(piece, at) : copy(piece, body, at)
    return body
  }
  const finish = async () => {
    isFinished = true
    await keep(isKeeping ? join() : null)
    stopKeeping()
    kept.resolve()
  }
  /** Resolves when somebody wants what comes next; with false when nobody will. */
  const isWanted = async (): Promise<boolean> => {
    while (!isKeeping && !isFinished && !hasLeft && next < taken.length) await demand.promise
    return isKeeping || isFinished || !hasLeft
  }
  async function take(): Promise<void> {
    try {
      for await (const event of events) {
        put(event)
        if (typeof event === 'string' && event.endsWith(lastEvent)) await finish()
        publish()
        if (!(await isWanted())) break
      }
      if (!isFinished) await finish()
    } catch (error) {
      if (!isFinished) await finish()
      failure = { error }
    }
    isOver = true
    publish()
    signal.removeEventListener('abort', leave)
  }
  async function* follow(): AsyncGenerator<Piece, void> {
    try {
      for (;;) {
        while (next < published) {
          const piece = taken[next]?.piece ?? ''
          next += 1
          if (!isKeeping) forget(next - 1, next)
          yield piece
          ask()
        }
        if (failure !== null) throw failure.error
        if (isOver) return
        await news.promise
      }
    } finally {
      leave()
    }
  }
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave)
  void take()
  return { response: serverSentEventsResponse(follow(), { headers, onCancel: leave }), kept: kept.promise }
}

function copy(piece: Uint8Array, body: Uint8Array, at: number): number {
  body.set(piece, at)
  return piece.byteLength
}
