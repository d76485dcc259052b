// Learns the pace that an upstream accepts, for one team's calls or for all: falls when the upstream refuses, rises step by step while it
// serves.

/** The lowest pace that is learned (requests a minute): the upstream may only have been busy for a moment. */
const minPerMinute = 60
/**
 * The first pause after a refusal. It doubles with each refusal until a call is served, up to what the upstream asked for, and at most to
 * the longest.
 */
const firstPauseMs = 1000
const longestPauseMs = 10_000
/** While calls are served the pace rises by a tenth a second: it doubles in about seven. A step for each call would double a pace of 100 a second in a quarter of one. */
const probeMs = 1000
const growth = 1.1

export class LearnedPace {
  #perMinute = Number.POSITIVE_INFINITY
  /** Pauses since the upstream last served a call. */
  #pauses = 0
  #pausedUntil = 0
  #raisedAt = 0
  /** True if calls have waited for the pace since it was last raised. */
  #holdsBack = true

  get perMinute(): number {
    return this.#perMinute
  }

  /** Unix ms. */
  get pausedUntil(): number {
    return this.#pausedUntil
  }

  /**
   * `perMinute`: calls that went through within the last minute. A refusal within a pause says nothing new, because the call was already
   * under way.
   */
  noteRefused(perMinute: number, retryMs: number, now: number): void {
    if (this.#pausedUntil > now) return
    this.#pauses += 1
    this.#pausedUntil = now + Math.min(retryMs, firstPauseMs * 2 ** (this.#pauses - 1), longestPauseMs)
    this.#perMinute = Math.max(minPerMinute, perMinute)
    this.#raisedAt = now
    this.#holdsBack = true
  }

  noteHeldBack(): void {
    this.#holdsBack = true
  }

  /** False once calls arrive no faster than the pace: nothing is left to learn. */
  noteServed(now: number): boolean {
    this.#pauses = 0
    if (now - this.#raisedAt < probeMs) return true
    if (!this.#holdsBack) return false
    this.#perMinute *= growth
    this.#raisedAt = now
    this.#holdsBack = false
    return true
  }
}
