// Counts tokens in the trailing 60 s: reserved at admission, corrected at settlement, in one bucket per second.
import { type SavedMarks, windowMs } from './request-window.ts'

/** One second of tokens. It counts until its latest reservation is 60 s old, so no 60 s ever hold more than the limit. */
type Bucket = { readonly second: number; latest: number; tokens: number; changedAt: number }

/** What one call took out of one window: give it back with `settle`, once. */
export type TokenReservation = {
  readonly bucket: Bucket
  readonly tokens: number
  /** What `exceed` has counted beyond it. */
  excess: number
}

/** The tokens of one second, and the last moment at which some were added to it. */
export type SecondOfTokens = { readonly latest: number; readonly tokens: number }

/**
 * What a call reserves under `limit`: input and output, but never more than the limit as long as its input alone fits,
 * or a large output cap would be refused for ever.
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
  /** Kept by whoever writes the window down. */
  readonly saved: SavedMarks = { commit: 0, second: 0 }
  /** Oldest first; at most 61, since a bucket lives less than 61 s. */
  readonly #buckets: Bucket[] = []
  #total = 0
  /** All changes ever made: what marks are taken from. */
  #changes = 0
  #latest = Number.NEGATIVE_INFINITY

  /** `restored`: seconds that are known from before, oldest first. */
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

  /** Counts what a call has used beyond its reservation, as soon as that is known; `settle` does not count it again. */
  exceed(reservation: TokenReservation, used: number, now: number): void {
    const more = used - reservation.tokens - reservation.excess
    if (more <= 0) return
    this.#add(more, this.#advance(now))
    reservation.excess += more
  }

  /** Returns what was not used to the second it came from; an excess counts in the second it becomes known. */
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

  /** Unix ms at which `tokens` more are within `limit` (now, if they already are); null when they never are. */
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

  /** Unix ms at which the window will be empty; `now` when it is. */
  emptyAt(now: number): number {
    const moment = this.#advance(now)
    const last = this.#buckets.findLast(({ tokens }) => tokens > 0)
    return last === undefined ? moment : last.latest + windowMs
  }

  /** Seconds that changed since the mark and still count, oldest first, and the mark that now stands for them. */
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
