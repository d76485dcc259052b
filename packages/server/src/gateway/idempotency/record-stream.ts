// Reads a streamed reply from its upstream whether or not its client still listens, so that it can be kept whole, within bounds.
import { type PieceStream, serverSentEventsResponse } from '../../http/server-sent-events.ts'
import type { ByteBudget } from '../../upstream/reply-limits.ts'

const lastEvent = 'data: [DONE]\n\n'

export type Recording = {
  /** The same reply, for the client. */
  readonly response: Response
  /** Resolves when `keep` has, and before the client can have the last event. */
  readonly kept: Promise<void>
}

export type RecordingBounds = {
  /** The largest answer that is kept, in bytes. */
  readonly maxBytes: number
  /** Memory limit of all recordings together. */
  readonly recordedBytes: ByteBudget
}

type Piece = string | Uint8Array

type RecordOptions = RecordingBounds & {
  readonly headers: Readonly<Record<string, string>>
  /**
   * Gets all bytes once, before the event with `[DONE]` leaves, or at the end of a stream without one; null for an answer that exceeds
   * a bound. Never rejects.
   */
  readonly keep: (body: Uint8Array | null) => Promise<void>
  /** Aborts when the client has left. */
  readonly signal: AbortSignal
  /** Ends the stream as if its client had left: it is stopped upstream, and charged for what was delivered. */
  readonly stop: () => void
}

type Taken = { readonly piece: Piece; readonly counted: number }

const had: Taken = { piece: '', counted: 0 }

/**
 * Within the bounds the stream is read as fast as it comes. Beyond one of them no more is kept: it is then only read as its
 * client reads, and stopped if there is no client.
 */
export function recordStream(events: PieceStream, options: RecordOptions): Recording {
  return new StreamRecorder(options).record(events)
}

class StreamRecorder {
  private readonly options: RecordOptions
  /** Pieces that are to be kept, or that the client has not received yet. */
  private taken: Taken[] = []
  /** Index in `taken` of the client's next piece. */
  private next = 0
  /** Pieces of `taken` that the client may have. */
  private published = 0
  private length = 0
  private isKeeping = true
  private hasLeft = false
  private failure: { readonly error: unknown } | null = null
  private isOver = false
  private isFinished = false
  private news = Promise.withResolvers<void>()
  private demand = Promise.withResolvers<void>()
  private readonly kept = Promise.withResolvers<void>()

  constructor(options: RecordOptions) {
    this.options = options
  }

  record(events: PieceStream): Recording {
    const { signal, headers } = this.options
    if (signal.aborted) this.leave()
    else signal.addEventListener('abort', this.leave)
    void this.take(events)
    // Not recorded: a replayed answer does not wait.
    const keepAlive = () => events.keepAlive?.() ?? ''
    const followed = Object.assign(this.follow(), { keepAlive })
    const response = serverSentEventsResponse(followed, { headers, onCancel: this.leave })
    return { response, kept: this.kept.promise }
  }

  private async take(events: PieceStream): Promise<void> {
    try {
      for await (const event of events) {
        this.put(event)
        if (typeof event === 'string' && event.endsWith(lastEvent)) await this.finish()
        this.publish()
        if (!(await this.isWanted())) break
      }
      if (!this.isFinished) await this.finish()
    } catch (error) {
      if (!this.isFinished) await this.finish()
      this.failure = { error }
    }
    this.isOver = true
    this.publish()
    this.options.signal.removeEventListener('abort', this.leave)
  }

  /** The client's copy of the stream. */
  private async *follow(): AsyncGenerator<Piece, void> {
    try {
      for (;;) {
        while (this.next < this.published) {
          const piece = this.taken[this.next]?.piece ?? ''
          this.next += 1
          if (!this.isKeeping) this.forget(this.next - 1, this.next)
          yield piece
          this.ask()
        }
        if (this.failure !== null) throw this.failure.error
        if (this.isOver) return
        await this.news.promise
      }
    } finally {
      this.leave()
    }
  }

  private put(piece: Piece): void {
    const { maxBytes, recordedBytes } = this.options
    const bytes = Buffer.byteLength(piece)
    if (this.isKeeping && (this.length + bytes > maxBytes || !recordedBytes.take(bytes))) this.stopKeeping()
    this.length += bytes
    // Beyond the bounds there is one piece at a time, which only waits for the client.
    this.taken.push({ piece, counted: this.isKeeping ? bytes : 0 })
  }

  private publish(): void {
    this.published = this.taken.length
    this.news.resolve()
    this.news = Promise.withResolvers()
  }

  private ask(): void {
    this.demand.resolve()
    this.demand = Promise.withResolvers()
  }

  /** Resolves when the next piece is wanted; with false if it never will be. */
  private async isWanted(): Promise<boolean> {
    while (!this.isKeeping && !this.isFinished && !this.hasLeft && this.next < this.taken.length)
      await this.demand.promise
    return this.isKeeping || this.isFinished || !this.hasLeft
  }

  private async finish(): Promise<void> {
    this.isFinished = true
    await this.options.keep(this.isKeeping ? this.join() : null)
    this.stopKeeping()
    this.kept.resolve()
  }

  private stopKeeping(): void {
    this.isKeeping = false
    if (this.hasLeft) this.stopIfUseless()
    else this.forget(0, this.next)
  }

  private readonly leave = (): void => {
    this.hasLeft = true
    this.stopIfUseless()
    this.ask()
  }

  private stopIfUseless(): void {
    if (this.isKeeping || !this.hasLeft) return
    this.forget(0, this.taken.length)
    if (!this.isFinished) this.options.stop()
  }

  /** Pieces that are no longer needed: all of them if the client has left, otherwise those that it has received. */
  private forget(from: number, to: number): void {
    for (let index = from; index < to; index += 1) {
      this.options.recordedBytes.give(this.taken[index]?.counted ?? 0)
      this.taken[index] = had
    }
    if (to < this.taken.length || this.published < this.taken.length) return
    this.taken = []
    this.next = 0
    this.published = 0
  }

  private join(): Uint8Array {
    const body = Buffer.allocUnsafe(this.length)
    let at = 0
    for (const { piece } of this.taken)
      at += typeof piece === 'string' ? body.write(piece, at) : copy(piece, body, at)
    return body
  }
}

function copy(piece: Uint8Array, body: Uint8Array, at: number): number {
  body.set(piece, at)
  return piece.byteLength
}
