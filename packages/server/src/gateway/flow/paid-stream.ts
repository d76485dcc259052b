// A paid call with an answer in pieces. Its endpoint defines a piece, its bytes, and the cost of the call so far:
//
//   admit → translate → (open row ‖ call upstream) → respond, piece by piece → meter → settle → last bytes
//
// The open row is on disk before the first byte, so that recovery finds it after a crash. The charge is on disk before the last byte.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import type { Call } from '../../http/call.ts'
import { type PieceStream, serverSentEventsResponse } from '../../http/server-sent-events.ts'
import type { Served, UsageReport } from '../../upstream/port.ts'
import type { CallPlan } from './admit.ts'
import type { Admitted } from './admitted.ts'
import type { Caller } from './authenticate.ts'
import type { Answer } from './call-facts.ts'
import { type FlowDependencies, type HeldCall, runHeld } from './held-call.ts'
import type { Metered } from './meter.ts'
import { admissionHeaders } from './respond.ts'
import type { Outcome } from './settle.ts'
import { buildProgress } from './settle.ts'

export type PaidStream = {
  readonly plan: CallPlan
  /** The upstream request. Throws ApiError if none can be made; nothing was done then. */
  readonly translate: (admitted: Admitted) => AnswerInPieces | Promise<AnswerInPieces>
}

type Bytes = string | Uint8Array

/** The error for the operator, and the last bytes of the reply. */
export type BrokenEnd = { readonly error: unknown; readonly bytes: Bytes }

export type AnswerInPieces = {
  /** `charged`: the admission with the model that answered. */
  measure(outcome: Outcome, charged: Admitted): Metered | null
  /** The usage that each upstream call has reported so far, for the row that a crash is charged by. */
  usages(): readonly (UsageReport | null)[]
  /** Calls the upstream, until the signal aborts. Throws ApiError. */
  open(signal: AbortSignal): Promise<void>
  /** Who has answered; read once it is open. */
  served?(): Served
  /** Closes an upstream that was opened. Unless it has sent everything, the signal has been aborted. */
  close(): void
  /** Resolves when the reply may start, with headers of its own. */
  begin(): Promise<Readonly<Record<string, string>>>
  /** The next bytes that may leave; null once the upstream has sent everything. Throws its failure. */
  next(): Promise<Bytes | null>
  /** True once the answer is complete: later failures are not failures of the answer. */
  isWhole(): boolean
  /** The answer so far, for the record of the call; absent if answers are not text. */
  readonly answer?: Answer
  /** Bytes that may leave only when the charge is on disk; empty if none are left. A promise if more has to be on disk first. */
  end(metered: Metered | null): Bytes | Promise<Bytes>
  /** An error after the reply has started: `failure` is the upstream's, or null if only the charge failed, with `unwritten`. */
  fail(failure: unknown, unwritten: unknown): BrokenEnd
  /** Keep-alive bytes, so that no proxy considers the reply dead; '' for none. Default: a comment. */
  keepAlive?(): string
}

/** A comment of an event stream, which clients skip (HTML standard, section 9.2.6). */
export const keepAliveComment = ': keep-alive\n\n'

export type RunPaidStream = (caller: Caller, call: Call, paid: PaidStream) => Promise<Response>

export function createPaidStream(dependencies: FlowDependencies): RunPaidStream {
  const pace = new Pace(dependencies)
  return (caller, call, { plan, translate }) =>
    runHeld(dependencies, caller, call, plan, async held => {
      const translated = translate(held.admitted)
      const pieces = translated instanceof Promise ? await translated : translated
      const stream = new RunningStream(held, pieces, call.signal, pace)
      const headers = await stream.open(dependencies.clock)
      // The upstream has been asked: a conversation takes far more memory than its stream.
      call.body = undefined
      return held.outlive(stream.respond(headers))
    })
}

/**
 * How often all open streams together are read per second. A read costs some 30 µs of the single thread, however much has arrived,
 * so a thousand streams with 40 events a second would fill it, and every new call would wait behind them. Each is then read five times
 * a second, and what has arrived meanwhile leaves together. A hundred streams wait for 20 ms at most, five never (decision 010).
 */
const readsPerSecond = 5_000

class Pace {
  private readonly dependencies: Pick<FlowDependencies, 'clock' | 'after'>
  private open = 0

  constructor(dependencies: Pick<FlowDependencies, 'clock' | 'after'>) {
    this.dependencies = dependencies
  }

  begin(): void {
    this.open += 1
  }

  end(): void {
    this.open -= 1
  }

  now(): number {
    return this.dependencies.clock()
  }

  /** Resolves when a stream that was read at that time may be read again; null for at once. */
  rest(readAt: number): Promise<void> | null {
    const interval = (this.open * 1000) / readsPerSecond
    if (interval < 1) return null
    const wait = Math.min(interval, readAt + interval - this.now())
    return wait < 1 ? null : new Promise(resolve => this.dependencies.after(wait, resolve))
  }
}

/** An object instead of an async generator, which costs one more call per piece. */
class RunningStream implements PieceStream {
  private readonly held: HeldCall
  private readonly pieces: AnswerInPieces
  /** The client's. */
  private readonly signal: AbortSignal
  private readonly controller = new AbortController()
  private hasReply = false
  private hasLeft = false
  /** The upstream has sent everything; only closing it is left to do. */
  private hasReadAll = false
  private isOver = false
  private stopped: ApiError | null = null
  private readonly pace: Pace
  private readAt = 0

  constructor(held: HeldCall, pieces: AnswerInPieces, signal: AbortSignal, pace: Pace) {
    this.held = held
    this.pieces = pieces
    this.signal = signal
    this.pace = pace
    pace.begin()
    held.whenEnded(() => {
      pace.end()
      if (!this.hasReadAll) this.controller.abort()
      pieces.close()
    })
    held.owe(outcome => pieces.measure(outcome, held.charged))
    held.trace.answer = pieces.answer ?? null
    signal.addEventListener('abort', this.leave)
  }

  /**
   * Row and upstream run side by side. Both, and the start of the answer, are awaited before the reply starts, so that an upstream
   * that fails at once is answered with its proper status.
   */
  async open(clock: () => number): Promise<Readonly<Record<string, string>>> {
    const { held, pieces, signal } = this
    try {
      const opened = held.openRow({
        progress: () => buildProgress(held.charged, pieces.usages(), clock()),
        stop: this.stop,
      })
      const [row, upstream] = await Promise.allSettled([opened, this.callUpstream()])
      if (row.status === 'rejected') throw row.reason
      if (upstream.status === 'rejected') throw upstream.reason
      const headers = await pieces.begin()
      held.trace.begin(clock() - held.admitted.hold.admittedAt)
      return headers
    } catch (error) {
      signal.removeEventListener('abort', this.leave)
      await held.end(signal.aborted ? 'client_closed' : 'failed')
      throw this.stopped ?? error
    }
  }

  respond(headers: Readonly<Record<string, string>>): Response {
    const { held, signal, leave } = this
    this.hasReply = true
    if (signal.aborted) leave()
    return serverSentEventsResponse(this, {
      headers: { ...admissionHeaders(held.admitted), ...headers },
      onCancel: leave,
    })
  }

  private async callUpstream(): Promise<void> {
    const { held, pieces, controller } = this
    try {
      await pieces.open(controller.signal)
      held.noteServed(pieces.served?.() ?? unknownServed)
    } catch (failure) {
      controller.abort()
      throw failure
    }
  }

  /** The process has lost its lease: others may have charged what they know of the stream, and anything that comes now would be free. */
  private readonly stop = (): void => {
    this.stopped = unavailable(1)
    this.controller.abort()
  }

  /** Before the reply has started, stopping makes the work here fail, and that ends the call. */
  private readonly leave = (): void => {
    this.controller.abort()
    if (!this.hasReply) return
    this.hasLeft = true
    this.held.end('client_closed').catch(error => this.held.report(error))
  }

  async next(): Promise<IteratorResult<Bytes, void>> {
    if (this.isOver) return over
    let failure: unknown = null
    try {
      if (this.stopped !== null) throw this.stopped
      const rest = this.pace.rest(this.readAt)
      if (rest !== null) await rest
      const bytes = await this.pieces.next()
      this.readAt = this.pace.now()
      if (bytes !== null) return { done: false, value: bytes }
      this.hasReadAll = true
    } catch (cause) {
      failure = this.stopped ?? cause
    }
    this.isOver = true
    try {
      const last = this.hasLeft ? '' : await this.end(failure)
      return last.length > 0 ? { done: false, value: last } : over
    } finally {
      this.signal.removeEventListener('abort', this.leave)
    }
  }

  keepAlive(): string {
    return this.pieces.keepAlive?.() ?? keepAliveComment
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Called without a charge only if the consumer stopped reading: the client is gone. */
  async return(): Promise<IteratorResult<Bytes, void>> {
    this.isOver = true
    this.signal.removeEventListener('abort', this.leave)
    await this.held.end('client_closed').catch(() => undefined)
    return over
  }

  /** The last bytes, once the charge is on disk. */
  private async end(failure: unknown): Promise<Bytes> {
    const { held, pieces } = this
    const isWhole = failure === null || pieces.isWhole()
    let unwritten: unknown = null
    try {
      const metered = await held.end(isWhole ? 'completed' : 'failed')
      if (isWhole) {
        const bytes = pieces.end(metered)
        return bytes instanceof Promise ? await bytes : bytes
      }
    } catch (error) {
      unwritten = error
    }
    const { error, bytes } = pieces.fail(failure, unwritten)
    held.report(error)
    return bytes
  }
}

const unknownServed: Served = {}

const over = { done: true, value: undefined } as const
