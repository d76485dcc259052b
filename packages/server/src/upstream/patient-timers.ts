// Time limits by the thousand on one timer. A frozen process does not miss a limit's answer: what has arrived is read first.

/** A clock and timers that fire once: the system's, or those that a test moves by hand. */
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
/** Long enough to read what lies in the buffers of the system. */
const graceMs = 1000

/** A limit that runs. */
export class Limit {
  readonly #limits: Set<Limit>
  readonly run: () => void
  due: number
  isExtended = false

  constructor(limits: Set<Limit>, due: number, run: () => void) {
    this.#limits = limits
    this.due = due
    this.run = run
    limits.add(this)
  }

  cancel(): void {
    this.#limits.delete(this)
  }
}

/**
 * Most limits are cancelled long before they end, so starting and cancelling must cost next to nothing: an entry in a set
 * (0.1 µs, against 0.4 µs for a timer of the runtime). While limits run, one timer looks whether the earliest is due.
 */
export class PatientTimers {
  readonly #timers: Timers
  readonly #limits = new Set<Limit>()
  /** No limit ends before this; it may be earlier than the earliest, when that one has been cancelled. */
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
    return new Limit(this.#limits, due, run)
  }

  /** How many limits run. */
  running(): number {
    return this.#limits.size
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
    if (this.#limits.size === 0) return
    this.#scheduleTick()
    if (now >= this.#earliest) this.#endDue(now, stoodStill)
  }

  #endDue(now: number, stoodStill: boolean): void {
    this.#earliest = Number.POSITIVE_INFINITY
    for (const limit of this.#limits) {
      if (limit.due <= now && stoodStill && !limit.isExtended) {
        limit.isExtended = true
        limit.due = now + graceMs
      }
      if (limit.due > now) this.#earliest = Math.min(this.#earliest, limit.due)
      else {
        limit.cancel()
        limit.run()
      }
    }
  }
}
