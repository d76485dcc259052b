// Counts tokens in the trailing 60 s: reserved at admission, corrected at settlement, in one bucket per second.
import { type SavedMarks, windowMs } from './request-window.ts'

/** One second of tokens. It counts until its latest reservation is 60 s old, so no 60 s ever contain more than the limit. */
type Bucket = { readonly second: number; latest: number; tokens: number; changedAt: number }

/** Tokens that one call took from one window; return them once with `settle`. */
export type TokenReservation = {
  readonly bucket: Bucket
  readonly tokens: number
  /** Tokens that `exceed` has counted beyond the reservation. */
  excess: number
}

/** The tokens of one second, and the last time at which some were added to it. */
export type SecondOfTokens = { readonly latest: number; readonly tokens: number }

/**
 * Tokens that a call reserves under `limit`: input and output, but at most the limit if the input alone fits. Otherwise a large output cap
 * would be refused forever.
 */
export function clipReservation(
  tokens: { readonly input: number; readonly output: number },
  limit: number,
): number {
  const wanted = tokens.input + tokens.output
  return tokens.input <= limit ? Math.min(wanted, limit) : wanted
}

/** A clock that steps back counts as standing still. */
export class TokenWindow {
  /** Maintained by the code that writes the window to disk. */
  readonly saved: SavedMarks = { commit: 0, second: 0 }
  /** Oldest first; at most 61, since a bucket lives less than 61 s. */
  readonly #buckets: Bucket[] = []
  #total = 0
  /** Number of changes ever made; marks refer to it. */
  #changes = 0
  #latest = Number.NEGATIVE_INFINITY

  /** `restored`: seconds known from before, oldest first. */
  constructor(restored: readonly SecondOfTokens[] = []) {
    for (const second of restored) this.#add(second.tokens, second.latest)
  }

  /** Tokens reserved or used in the trailing 60 s. */
  count(now: number): number {
    this.#advance(now)
    return this.#total
  }

  reserve(tokens: number, now: number): TokenReservation {
    return { bucket: this.#add(tokens, this.#advance(now)), tokens, excess: 0 }
  }

  /** Counts tokens used beyond the reservation as soon as they are known; `settle` does not count them again. */
  exceed(reservation: TokenReservation, used: number, now: number): void {
    const more = used - reservation.tokens - reservation.excess
    if (more <= 0) return
    this.#add(more, this.#advance(now))
    reservation.excess += more
  }

  /** Returns unused tokens to the second they came from; an excess counts in the second it becomes known. */
  settle({ bucket, tokens, excess }: TokenReservation, used: number, now: number): void {
    const moment = this.#advance(now)
    if (used > tokens) {
      if (used > tokens + excess) this.#add(used - tokens - excess, moment)
    } else if (bucket.latest + windowMs > moment) {
      this.#changes += 1
      bucket.changedAt = this.#changes
      bucket.tokens -= tokens - used
      this.#total -= tokens - used
    }
  }

  /** Unix ms at which `tokens` more fit within `limit` (now, if they already do); null if they never will. */
  nextFreeAt(tokens: number, limit: number, now: number): number | null {
    const moment = this.#advance(now)
    if (tokens > limit) return null
    let left = this.#total
    if (left + tokens <= limit) return moment
    for (const bucket of this.#buckets) {
      left -= bucket.tokens
      if (left + tokens <= limit) return bucket.latest + windowMs
    }
    return null
  }

  /** Unix ms at which the window will be empty; `now` if it is. */
  emptyAt(now: number): number {
    const moment = this.#advance(now)
    const last = this.#buckets.findLast(({ tokens }) => tokens > 0)
    return last === undefined ? moment : last.latest + windowMs
  }

  /** Seconds that changed since the mark and still count, oldest first, and the new mark. */
  since(mark: number, now: number): { readonly seconds: SecondOfTokens[]; readonly mark: number } {
    this.#advance(now)
    const seconds: SecondOfTokens[] = []
    for (const { latest, tokens, changedAt } of this.#buckets)
      if (changedAt > mark) seconds.push({ latest, tokens })
    return { seconds, mark: this.#changes }
  }

  #advance(now: number): number {
    if (now > this.#latest) this.#latest = now
    for (
      let first = this.#buckets[0];
      first !== undefined && first.latest + windowMs <= this.#latest;
      first = this.#buckets[0]
    ) {
      this.#total -= first.tokens
      this.#buckets.shift()
    }
    return this.#latest
  }

  #add(tokens: number, moment: number): Bucket {
    const second = Math.floor(moment / 1000)
    let bucket = this.#buckets.at(-1)
    if (bucket === undefined || bucket.second !== second) {
      bucket = { second, latest: moment, tokens: 0, changedAt: 0 }
      this.#buckets.push(bucket)
    }
    this.#changes += 1
    bucket.changedAt = this.#changes
    bucket.latest = moment
    bucket.tokens += tokens
    this.#total += tokens
    return bucket
  }
}
