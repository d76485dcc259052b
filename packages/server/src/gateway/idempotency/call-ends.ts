// Records the ends of calls with an Idempotency-Key, however long that takes: until then their keys are not free.
import type { EndCallInput } from '../../store/statements/idempotent-calls.ts'
import { isStoreFailure } from '../../store/store-unavailable.ts'
import type { IdempotencyDependencies } from './accept-idempotency-key.ts'

type CallEnd = Omit<EndCallInput, 'mayForget'>

export class CallEnds {
  readonly #dependencies: IdempotencyDependencies
  readonly #waiting = new Set<CallEnd>()
  #isRetrying = false

  constructor(dependencies: IdempotencyDependencies) {
    this.#dependencies = dependencies
  }

  /** Resolves when the end is recorded, or when it has to be tried again. Never rejects. */
  async note(end: CallEnd): Promise<void> {
    try {
      if (!(await this.#write(end))) this.noteLater(end)
    } catch (error) {
      this.#dependencies.reportUnkeptReply(error, end.call.callId)
      this.noteLater(end)
    }
  }

  /** For an end that cannot be recorded now. Its answer is kept while there is room for it. */
  noteLater({ call, reply }: CallEnd): void {
    const hasRoom = reply !== null && this.#dependencies.recording.recordedBytes.take(reply.body.byteLength)
    this.#waiting.add({ call, reply: hasRoom ? reply : null })
    if (!this.#isRetrying) void this.#retry()
  }

  #write(end: CallEnd): Promise<boolean> {
    const { idempotentCalls, isLedgerHealthy } = this.#dependencies
    // While charges wait to be written, it is unknown whether a call was charged.
    return idempotentCalls.write.endIdempotentCall({ ...end, mayForget: isLedgerHealthy() })
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
        // An unavailable database is asked once a second, not once for each call.
        if (isStoreFailure(error)) return
        continue
      }
      this.#waiting.delete(end)
      this.#dependencies.recording.recordedBytes.give(end.reply?.body.byteLength ?? 0)
    }
  }
}
