// Puts the ends of calls with an Idempotency-Key on record, however long that takes: until then their keys are not free.
import type { EndCallInput } from '../../store/statements/idempotent-calls.ts'
import type { Store } from '../../store/store.ts'
import { isStoreFailure } from '../../store/store-unavailable.ts'
import type { ByteBudget } from '../../upstream/reply-limits.ts'

export type CallEndsDependencies = {
  readonly end: Store['write']['endIdempotentCall']
  /** False while charges wait to be written: whether a call was charged cannot be told then. */
  readonly isLedgerHealthy: () => boolean
  /** What all answers may have in memory together. */
  readonly recordedBytes: ByteBudget
  /** Resolves after a moment; with false when the server stops. */
  readonly waitToRetry: () => Promise<boolean>
  readonly report: (error: unknown, callId: string) => void
}

type CallEnd = Omit<EndCallInput, 'mayForget'>

export class CallEnds {
  readonly #dependencies: CallEndsDependencies
  readonly #waiting = new Set<CallEnd>()
  #isRetrying = false

  constructor(dependencies: CallEndsDependencies) {
    this.#dependencies = dependencies
  }

  /** Resolves when the end is on record, or when it has to be tried again. Never rejects. */
  async note(end: CallEnd): Promise<void> {
    try {
      if (!(await this.#write(end))) this.noteLater(end)
    } catch (error) {
      this.#dependencies.report(error, end.call.callId)
      this.noteLater(end)
    }
  }

  /** For an end that cannot be put on record now. Its answer is kept while there is room for it. */
  noteLater({ call, reply }: CallEnd): void {
    const hasRoom = reply !== null && this.#dependencies.recordedBytes.take(reply.body.byteLength)
    this.#waiting.add({ call, reply: hasRoom ? reply : null })
    if (!this.#isRetrying) void this.#retry()
  }

  #write(end: CallEnd): Promise<boolean> {
    const { end: write, isLedgerHealthy } = this.#dependencies
    return write({ ...end, mayForget: isLedgerHealthy() })
  }

  async #retry(): Promise<void> {
    this.#isRetrying = true
    while (this.#waiting.size > 0 && (await this.#dependencies.waitToRetry())) await this.#tryAll()
    this.#isRetrying = false
  }

  async #tryAll(): Promise<void> {
    for (const end of this.#waiting) {
      try {
        if (!(await this.#write(end))) continue
      } catch (error) {
        // A database that is away is asked once a second, not once for each call.
        if (isStoreFailure(error)) return
        continue
      }
      this.#waiting.delete(end)
      this.#dependencies.recordedBytes.give(end.reply?.body.byteLength ?? 0)
    }
  }
}
