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

export type TokenWindow = {
  /** Tokens reserved or used in the trailing 60 s. */
  readonly count: (now: number) => number
  readonly reserve: (tokens: number, now: number) => TokenReservation
  /** Counts what a call has used beyond its reservation, as soon as that is known; `settle` does not count it again. */
  readonly exceed: (reservation: TokenReservation, used: number, now: number) => void
  /** Returns what was not used to the second it came from; an excess counts in the second it becomes known. */
  readonly settle: (reservation: TokenReservation, used: number, now: number) => void
  /** Unix ms at which `tokens` more are within `limit` (now, if they already are); null when they never are. */
  readonly nextFreeAt: (tokens: number, limit: number, now: number) => number | null
  /** Unix ms at which the window will be empty; `now` when it is. */
  readonly emptyAt: (now: number) => number
  /** Seconds that changed since the mark and still count, oldest first, and the mark that now stands for them. */
  readonly since: (mark: number, now: number) => { readonly seconds: SecondOfTokens[]; readonly mark: number }
  /** Kept by whoever writes the window down. */
  readonly saved: SavedMarks
}

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

/** `restored`: seconds that are known from before, oldest first. A clock that steps back counts as standing still. */
export function createTokenWindow(restored: readonly SecondOfTokens[] = []): TokenWindow {
  // Oldest first; at most 61, since a bucket lives less than 61 s.
  const buckets: Bucket[] = []
  let total = 0
  /** All changes ever made: what marks are taken from. */
  let changes = 0
  let latest = Number.NEGATIVE_INFINITY

  const advance = (now: number): number => {
    if (now > latest) latest = now
    for (
      let first = buckets[0];
      first !== undefined && first.latest + windowMs <= latest;
      first = buckets[0]
    ) {
      total -= first.tokens
      buckets.shift()
    }
    return latest
  }

  const add = (tokens: number, moment: number): Bucket => {
    const second = Math.floor(moment / 1000)
    let bucket = buckets.at(-1)
    if (bucket === undefined || bucket.second !== second) {
      bucket = { second, latest: moment, tokens: 0, changedAt: 0 }
      buckets.push(bucket)
    }
    changes += 1
    bucket.changedAt = changes
    bucket.latest = moment
    bucket.tokens += tokens
    total += tokens
    return bucket
  }
  for (const second of restored) add(second.tokens, second.latest)

  return {
    count: now => {
      advance(now)
      return total
    },
    reserve: (tokens, now) => ({ bucket: add(tokens, advance(now)), tokens, excess: 0 }),
    exceed: (reservation, used, now) => {
      const more = used - reservation.tokens - reservation.excess
      if (more <= 0) return
      add(more, advance(now))
      reservation.excess += more
    },
    settle: ({ bucket, tokens, excess }, used, now) => {
      const moment = advance(now)
      if (used > tokens) {
        if (used > tokens + excess) add(used - tokens - excess, moment)
      } else if (bucket.latest + windowMs > moment) {
        changes += 1
        bucket.changedAt = changes
        bucket.tokens -= tokens - used
        total -= tokens - used
      }
    },
    nextFreeAt: (tokens, limit, now) => {
      const moment = advance(now)
      if (tokens > limit) return null
      let left = total
      if (left + tokens <= limit) return moment
      for (const bucket of buckets) {
        left -= bucket.tokens
        if (left + tokens <= limit) return bucket.latest + windowMs
      }
      return null
    },
    emptyAt: now => {
      const moment = advance(now)
      const last = buckets.findLast(({ tokens }) => tokens > 0)
      return last === undefined ? moment : last.latest + windowMs
    },
    since: (mark, now) => {
      advance(now)
      const changed = buckets.filter(({ changedAt }) => changedAt > mark)
      return {
        seconds: changed.map(({ latest: moment, tokens }) => ({ latest: moment, tokens })),
        mark: changes,
      }
    },
    saved: { commit: 0, second: 0 },
  }
}
