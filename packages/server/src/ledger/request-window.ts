// Counts requests in the trailing 60 s exactly: a ring of timestamps, so no boundary ever lets twice the limit through.

export const windowMs = 60_000
const firstCapacity = 8

/** How many of a window's changes are on disk, as counted by the window itself: with the latest commit, and with the latest second's row. */
export type SavedMarks = { commit: number; second: number }

export type RequestWindow = {
  /** Requests in the trailing 60 s; one that is exactly 60 s old no longer counts. */
  readonly count: (now: number) => number
  /** Records a request. The caller has checked the limit, so memory stays within the largest limit of the last minute. */
  readonly add: (now: number) => void
  /** Unix ms at which one more request is within `limit` (now, if it already is); null when it never is. */
  readonly nextFreeAt: (limit: number, now: number) => number | null
  /** Unix ms at which the window will be empty; `now` when it is. */
  readonly emptyAt: (now: number) => number
  /** Requests recorded since the mark that still count, oldest first, and the mark that now stands for them. */
  readonly since: (mark: number, now: number) => { readonly times: number[]; readonly mark: number }
  /** Kept by whoever writes the window down. */
  readonly saved: SavedMarks
}

/** `restored`: requests that are known from before, oldest first. A clock that steps back counts as standing still. */
export function createRequestWindow(restored: readonly number[] = []): RequestWindow {
  let times = new Float64Array(Math.max(firstCapacity, restored.length))
  times.set(restored)
  let oldest = 0
  let size = restored.length
  /** All that were ever recorded: what marks are taken from. */
  let recorded = size
  let latest = Number.NEGATIVE_INFINITY

  // Only called with an index below `size`, which is always filled.
  const timeAt = (index: number): number => times[(oldest + index) % times.length] ?? 0

  const advance = (now: number): number => {
    if (now > latest) latest = now
    while (size > 0 && timeAt(0) + windowMs <= latest) {
      oldest = (oldest + 1) % times.length
      size -= 1
    }
    return latest
  }

  const grow = () => {
    const larger = new Float64Array(times.length * 2)
    for (let index = 0; index < size; index += 1) larger[index] = timeAt(index)
    times = larger
    oldest = 0
  }

  return {
    count: now => {
      advance(now)
      return size
    },
    add: now => {
      const moment = advance(now)
      if (size === times.length) grow()
      times[(oldest + size) % times.length] = moment
      size += 1
      recorded += 1
    },
    nextFreeAt: (limit, now) => {
      const moment = advance(now)
      if (limit <= 0) return null
      return size < limit ? moment : timeAt(size - limit) + windowMs
    },
    emptyAt: now => {
      const moment = advance(now)
      return size === 0 ? moment : timeAt(size - 1) + windowMs
    },
    since: (mark, now) => {
      advance(now)
      const count = Math.min(size, recorded - mark)
      return {
        times: Array.from({ length: count }, (_, index) => timeAt(size - count + index)),
        mark: recorded,
      }
    },
    saved: { commit: 0, second: 0 },
  }
}
