// Counts requests in the trailing 60 s exactly: a ring of timestamps, so no boundary ever lets twice the limit through.

export const windowMs = 60_000
const firstCapacity = 8

export type RequestWindow = {
  /** Requests in the trailing 60 s; one that is exactly 60 s old no longer counts. */
  readonly count: (now: number) => number
  /** Records a request. The caller has checked the limit, so memory stays within the largest limit of the last minute. */
  readonly add: (now: number) => void
  /** Unix ms at which one more request is within `limit` (now, if it already is); null when it never is. */
  readonly nextFreeAt: (limit: number, now: number) => number | null
  /** Unix ms at which the window will be empty; `now` when it is. */
  readonly emptyAt: (now: number) => number
}

/** A clock that steps back counts as standing still. */
export function createRequestWindow(): RequestWindow {
  let times = new Float64Array(firstCapacity)
  let oldest = 0
  let size = 0
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
  }
}
