// Runs thousands of time limits on one timer. A frozen process does not miss a limit's answer: data that has arrived is read first.

/** A clock and one-shot timers: the system's, or those that a test moves by hand. */
export type Timers = {
  /** Monotonic, in ms. */
  readonly now: () => number
  readonly after: (milliseconds: number, run: () => void) => void
}

const systemTimers: Timers = {
  now: () => performance.now(),
  after: (milliseconds, run) => void setTimeout(run, milliseconds),
}

/** A limit ends at most this late and never early. The shortest limit that matters is a second. */
const tickMs = 50
/** A tick this late shows that the whole process stood still, and not only an upstream. */
const lateMs = 200
/** Long enough to read what the system has buffered. */
const graceMs = 1000

/** A running limit, in a ring of all running limits. */
export class Limit {
  readonly run: () => void
  due: number
  isExtended = false
  previous: Limit = this
  next: Limit = this

  constructor(due: number, run: () => void) {
    this.due = due
    this.run = run
  }

  addBefore(other: Limit): this {
    this.previous = other.previous
    this.next = other
    other.previous.next = this
    other.previous = this
    return this
  }

  /** May be called repeatedly. */
  cancel(): void {
    this.previous.next = this.next
    this.next.previous = this.previous
    this.previous = this
    this.next = this
  }
}

/**
 * Most limits are cancelled long before they end, so starting and cancelling must be cheap and leave nothing behind: both only link an
 * object into or out of a ring. While limits run, one timer checks whether the earliest is due.
 */
export class PatientTimers {
  readonly #timers: Timers
  /** Start and end of the ring; not a limit itself. */
  readonly #ring = new Limit(Number.POSITIVE_INFINITY, () => undefined)
  /** No limit ends before this; it may be earlier than the earliest if that one was cancelled. */
  #earliest = Number.POSITIVE_INFINITY
  #nextTick = 0
  #isTicking = false

  constructor(timers: Timers = systemTimers) {
    this.#timers = timers
  }

  /** Monotonic, in ms. */
  now(): number {
    return this.#timers.now()
  }

  /** Runs a function when the time is over. A limit that a frozen process notices late is extended by a second, once. */
  start(milliseconds: number, run: () => void): Limit {
    const due = this.#timers.now() + milliseconds
    if (due < this.#earliest) this.#earliest = due
    if (!this.#isTicking) this.#scheduleTick()
    return new Limit(due, run).addBefore(this.#ring)
  }

  /** Number of running limits. */
  running(): number {
    let count = 0
    for (let limit = this.#ring.next; limit !== this.#ring; limit = limit.next) count += 1
    return count
  }

  #scheduleTick(): void {
    this.#isTicking = true
    this.#nextTick = this.#timers.now() + tickMs
    this.#timers.after(tickMs, this.#tick)
  }

  readonly #tick = (): void => {
    const now = this.#timers.now()
    const stoodStill = now - this.#nextTick > lateMs
    this.#isTicking = false
    if (this.#ring.next === this.#ring) return
    this.#scheduleTick()
    if (now >= this.#earliest) this.#endDue(now, stoodStill)
  }

  #endDue(now: number, stoodStill: boolean): void {
    this.#earliest = Number.POSITIVE_INFINITY
    const due: Limit[] = []
    for (let limit = this.#ring.next; limit !== this.#ring; ) {
      if (limit.due <= now && stoodStill && !limit.isExtended) {
        limit.isExtended = true
        limit.due = now + graceMs
      }
      if (limit.due > now) this.#earliest = Math.min(this.#earliest, limit.due)
      else due.push(limit)
      limit = limit.next
    }
    // The end of one may cancel another.
    for (const limit of due) {
      if (limit.next === limit) continue
      limit.cancel()
      limit.run()
    }
  }
}

// Combines two reasons to stop an upstream call into one signal: the caller's signal and our own time limit.

/**
 * A separate controller costs 1 µs per call; `AbortSignal.any` with `AbortSignal.timeout` costs more than twice that, and its timers
 * linger.
 */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal | null
  readonly #timers: PatientTimers
  readonly #milliseconds: number
  #limit: Limit
  #isExpired = false

  /** Aborts as if the time limit had passed: for limits of another kind, such as silence. Bound, so it can be passed as a function. */
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

  /** Restarts the whole time, plus this many ms before it. */
  restart(before: number): void {
    this.#limit.cancel()
    this.#limit = this.#timers.start(before + this.#milliseconds, this.expire)
  }

  /** Ends the time limit; the caller can still stop the call. */
  endLimit(): void {
    this.#limit.cancel()
  }

  /** Ends the deadline after the call: removes it from the caller's signal and from the limits. */
  end(): void {
    this.#limit.cancel()
    this.#caller?.removeEventListener('abort', this)
  }

  /** Like `end`, but aborts the call if it is still running. */
  stop(): void {
    this.end()
    this.#controller.abort()
  }

  /** Handles the caller's abort. */
  handleEvent(): void {
    this.stop()
  }
}
