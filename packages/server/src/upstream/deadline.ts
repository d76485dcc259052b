// One signal for an upstream call out of two reasons to stop it: the caller's signal and our own time limit.
import type { Limit, PatientTimers } from '../world/patient-timers.ts'

/** A controller of its own costs 1 µs per call; `AbortSignal.any` with `AbortSignal.timeout` costs more than twice that, and its timers linger. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal | null
  readonly #timers: PatientTimers
  readonly #milliseconds: number
  #limit: Limit
  #isExpired = false

  /** As when the time limit has passed: for limits of another kind, such as silence. May be passed on alone. */
  readonly expire = (): void => {
    this.#isExpired = true
    this.stop()
  }

  /** `caller` is null for a call that its caller cannot stop. The caller's abort ends the deadline by itself. */
  constructor(timers: PatientTimers, milliseconds: number, caller: AbortSignal | null) {
    this.#caller = caller
    this.#timers = timers
    this.#milliseconds = milliseconds
    this.#limit = timers.start(milliseconds, this.expire)
    if (caller?.aborted === true) this.stop()
    else caller?.addEventListener('abort', this)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** True when a time limit stopped the call. */
  isExpired(): boolean {
    return this.#isExpired
  }

  /** The whole time again, and so many ms before it. */
  restart(before: number): void {
    this.#limit.cancel()
    this.#limit = this.#timers.start(before + this.#milliseconds, this.expire)
  }

  /** The time limit ends; the caller can still stop the call. */
  endLimit(): void {
    this.#limit.cancel()
  }

  /** The call is over: nothing of it stays on the caller's signal or among the limits. */
  end(): void {
    this.#limit.cancel()
    this.#caller?.removeEventListener('abort', this)
  }

  /** `end`, and the call is aborted if it still runs. */
  stop(): void {
    this.end()
    this.#controller.abort()
  }

  /** The caller's abort. */
  handleEvent(): void {
    this.stop()
  }
}
