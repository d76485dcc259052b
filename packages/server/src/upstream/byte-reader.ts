// Reads a body piece by piece within bounds: so many bytes, and no silence beyond a limit once it has started.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Limit, PatientTimers } from '../world/patient-timers.ts'

export type ReadPiece = { readonly done: boolean; readonly value?: Uint8Array | undefined }

export type ByteLimits = {
  readonly maxBytes: number
  readonly silenceMs: number
  /** Asked each time the body has been silent for a moment: true ends it. */
  readonly isComplete?: () => boolean
}

/** How soon a complete body that does not close is noticed. */
const momentMs = 1000

const ended: ReadPiece = { done: true }

export function tooLarge(): ApiError {
  return new ApiError('upstream_error', {
    message: "The model provider's reply is too large. Ask for less output.",
  })
}

/** Time counts only while a piece is awaited: a client that does not read is not a silence of the upstream. */
export class ByteReader {
  readonly #reader: { readonly read: () => Promise<ReadPiece>; readonly cancel: () => Promise<void> }
  readonly #limits: ByteLimits
  readonly #timers: PatientTimers
  readonly #expire: () => void
  /** How long the body is silent before it is checked. */
  readonly #step: number
  #total = 0
  #waitingSince: number | null = null
  #isOver = false
  /** True when the body has been read to its own end: nothing is left to stop. */
  hasEnded = false
  #watch: Limit | null = null
  #end: Limit | null = null
  #endsAt = Number.POSITIVE_INFINITY

  /** `expire`: called when the body has been silent for too long. It must stop the upstream, or call `end`. */
  constructor(
    body: ReadableStream<Uint8Array>,
    limits: ByteLimits,
    timers: PatientTimers,
    expire: () => void,
  ) {
    this.#reader = body.getReader()
    this.#limits = limits
    this.#timers = timers
    this.#expire = expire
    const { isComplete, silenceMs } = limits
    this.#step = isComplete === undefined ? silenceMs : Math.min(momentMs, silenceMs)
  }

  /** Throws ApiError `upstream_error` beyond the bound, and any other error of the body, including silence as an abort. */
  async read(): Promise<ReadPiece> {
    if (this.#isOver) return ended
    this.#waitingSince = this.#timers.now()
    try {
      const { done, value } = await this.#reader.read()
      if (this.#isOver || done || value === undefined) {
        this.hasEnded = done
        this.close()
        return ended
      }
      this.#total += value.length
      if (this.#total > this.#limits.maxBytes) {
        this.end()
        throw tooLarge()
      }
      this.#watch ??= this.#timers.start(this.#step, this.#look)
      return { done: false, value }
    } catch (cause) {
      this.close()
      throw cause
    } finally {
      this.#waitingSince = null
    }
  }

  /** After so many ms the body counts as ended, even if more arrives: for an answer that is already complete. */
  endWithin(milliseconds: number): void {
    const at = this.#timers.now() + milliseconds
    if (this.#isOver || at >= this.#endsAt) return
    this.#endsAt = at
    this.#end?.cancel()
    this.#end = this.#timers.start(milliseconds, () => this.end())
  }

  /** Ends the body now: a waiting read gets the end, and the upstream is stopped. */
  end(): void {
    this.close()
    this.#reader.cancel().catch(() => undefined)
  }

  /** Removes all of its limits. */
  close(): void {
    this.#isOver = true
    this.#watch?.cancel()
    this.#end?.cancel()
  }

  /** One limit for the whole body, restarted only when it ends: pieces cost no limit of their own. */
  readonly #look = (): void => {
    if (this.#isOver) return
    const { silenceMs, isComplete } = this.#limits
    const step = this.#step
    const silent = this.#waitingSince === null ? 0 : this.#timers.now() - this.#waitingSince
    const isSilent = silent >= step
    // Completeness first: after the process stood still, the silence may already be too long at the first check.
    if (isSilent && isComplete?.() === true) this.end()
    else if (silent >= silenceMs) this.#expire()
    else
      this.#watch = this.#timers.start(
        isSilent ? Math.min(step, silenceMs - silent) : step - silent,
        this.#look,
      )
  }
}
