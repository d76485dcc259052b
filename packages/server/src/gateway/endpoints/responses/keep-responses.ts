// Stores responses for later requests of their team: on disk before the answer leaves, many in one commit, within bounds of memory, and
// dropped when they are too old.
import type { Settings } from '../../../config/settings-file.ts'
import { unlessReported } from '../../../store/open-store.ts'
import type { StoredResponse } from '../../../store/statements/stored-responses.ts'
import type { Store } from '../../../store/store.ts'
import type { ByteBudget } from '../../../upstream/reply-limits.ts'

export type KeepDependencies = {
  readonly write: Pick<Store['write'], 'storeResponses' | 'deleteOldResponses'>
  readonly keep: Settings['responses']['keep']
  /** Memory for the inputs of running streams, and for responses on their way to the store. */
  readonly heldBytes: ByteBudget
  /** Unix ms. */
  readonly clock: () => number
  /** Runs a function at this interval (ms); returns its stop. */
  readonly every: (milliseconds: number, run: () => void) => () => void
  readonly reportUnstored: (error: unknown, responses: number) => void
  readonly reportUndeleted: (error: unknown) => void
}

/** A response that is going to be stored, unless its call fails. */
export type KeptResponse = {
  /** False if it could not be stored. Never rejects. */
  readonly store: (response: object) => Promise<boolean>
  /** Returns the memory of the input. More calls have no effect. */
  readonly release: () => void
}

type Origin = Pick<StoredResponse, 'teamId' | 'callId' | 'previousCallId'>

const mebibyte = 1024 * 1024
const hourMs = 60 * 60_000
const tidyEveryMs = 10 * 60_000
const rowsPerDeletion = 100
/** Charges wait for the same writer. */
const rowsPerCommit = 32
const bytesPerCommit = mebibyte

type Waiting = {
  readonly response: StoredResponse
  readonly bytes: number
  readonly end: (isStored: boolean) => void
}

export class KeepResponses {
  readonly #dependencies: KeepDependencies
  readonly #maxBytes: number
  readonly #waiting: Waiting[] = []
  #isWriting = false

  constructor(dependencies: KeepDependencies) {
    this.#dependencies = dependencies
    this.#maxBytes = dependencies.keep.mebibytes_per_team * mebibyte
  }

  /** False if the settings say that nothing is stored. */
  get isOn(): boolean {
    return this.#dependencies.keep.hours > 0
  }

  /** Unix ms: what was stored until then is too old. */
  get since(): number {
    const { clock, keep } = this.#dependencies
    return clock() - keep.hours * hourMs
  }

  /** `input`: JSON of the items as sent. Null if it cannot be stored: it is too large, or there is no memory left for it. */
  prepare(origin: Origin, input: string): KeptResponse | null {
    const { heldBytes } = this.#dependencies
    const bytes = Buffer.byteLength(input)
    if (bytes > this.#maxBytes || !heldBytes.take(bytes)) return null
    let held = bytes
    const release = () => {
      heldBytes.give(held)
      held = 0
    }
    return {
      release,
      store: response => {
        release()
        return this.#store(origin, JSON.stringify(response), input, bytes)
      },
    }
  }

  #store(origin: Origin, response: string, input: string, inputBytes: number): Promise<boolean> {
    const { heldBytes, clock } = this.#dependencies
    const bytes = Buffer.byteLength(response) + inputBytes
    if (bytes > this.#maxBytes || !heldBytes.take(bytes)) return Promise.resolve(false)
    return new Promise(end => {
      this.#waiting.push({ response: { ...origin, createdAt: clock(), response, input }, bytes, end })
      if (!this.#isWriting) void this.#writeAll()
    })
  }

  /** Responses that arrive during a commit share the next one. */
  async #writeAll(): Promise<void> {
    const { write, keep, heldBytes, reportUnstored } = this.#dependencies
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#countNext())
      const isStored = await write
        .storeResponses({
          responses: batch.map(({ response }) => response),
          maxCount: keep.responses_per_team,
          maxBytes: this.#maxBytes,
        })
        .then(
          () => true,
          error => {
            unlessReported(reportUnstored)(error, batch.length)
            return false
          },
        )
      for (const { bytes, end } of batch) {
        heldBytes.give(bytes)
        end(isStored)
      }
    }
    this.#isWriting = false
  }

  #countNext(): number {
    let bytes = 0
    const tooMany = this.#waiting.findIndex((each, index) => {
      bytes += each.bytes
      return index > 0 && (index >= rowsPerCommit || bytes > bytesPerCommit)
    })
    return tooMany === -1 ? this.#waiting.length : tooMany
  }

  /** Deletes responses that are too old: all of them if nothing is stored any longer. Returns its stop. */
  startTidying(): () => void {
    const { write, every, reportUndeleted } = this.#dependencies
    let isRunning = false
    let isStopped = false
    const run = async () => {
      if (isRunning) return
      isRunning = true
      try {
        for (let deleted = rowsPerDeletion; deleted === rowsPerDeletion && !isStopped; )
          deleted = (await write.deleteOldResponses({ before: this.since, limit: rowsPerDeletion })).deleted
      } catch (error) {
        unlessReported(reportUndeleted)(error)
      }
      isRunning = false
    }
    void run()
    const stop = every(tidyEveryMs, () => void run())
    return () => {
      isStopped = true
      stop()
    }
  }
}
