// Counts requests in the trailing 60 s exactly: a ring of timestamps, so no boundary ever lets twice the limit through.

export const windowMs = 60_000
const firstCapacity = 8

/** How many of a window's changes are on disk, by the window's own count: with the latest commit, and with the latest second's row. */
export type SavedMarks = { commit: number; second: number }

/** A clock that steps back counts as standing still. */
export class RequestWindow {
  /** Maintained by the code that writes the window to disk. */
  readonly saved: SavedMarks = { commit: 0, second: 0 }
  #times: Float64Array
  #oldest = 0
  #size: number
  /** Number of requests ever recorded; marks refer to it. */
  #recorded: number
  #latest = Number.NEGATIVE_INFINITY

  /** `restored`: requests known from before, oldest first. */
  constructor(restored: readonly number[] = []) {
    this.#times = new Float64Array(Math.max(firstCapacity, restored.length))
    this.#times.set(restored)
    this.#size = restored.length
    this.#recorded = restored.length
  }

  /** Requests in the trailing 60 s; one that is exactly 60 s old no longer counts. */
  count(now: number): number {
    this.#advance(now)
    return this.#size
  }

  /** Records a request. The caller has checked the limit, so memory stays within the largest limit of the last minute. */
  add(now: number): void {
    const moment = this.#advance(now)
    if (this.#size === this.#times.length) this.#grow()
    this.#times[(this.#oldest + this.#size) % this.#times.length] = moment
    this.#size += 1
    this.#recorded += 1
  }

  /** Unix ms at which one more request fits within `limit` (now, if it already does); null if it never will. */
  nextFreeAt(limit: number, now: number): number | null {
    const moment = this.#advance(now)
    if (limit <= 0) return null
    return this.#size < limit ? moment : this.#timeAt(this.#size - limit) + windowMs
  }

  /** Unix ms at which the window will be empty; `now` if it is. */
  emptyAt(now: number): number {
    const moment = this.#advance(now)
    return this.#size === 0 ? moment : this.#timeAt(this.#size - 1) + windowMs
  }

  /** Requests recorded since the mark that still count, oldest first, and the new mark. */
  since(mark: number, now: number): { readonly times: number[]; readonly mark: number } {
    this.#advance(now)
    const times: number[] = []
    for (let index = Math.max(0, this.#size - (this.#recorded - mark)); index < this.#size; index += 1)
      times.push(this.#timeAt(index))
    return { times, mark: this.#recorded }
  }

  /** Only called with an index below the size, which is always filled. */
  #timeAt(index: number): number {
    return this.#times[(this.#oldest + index) % this.#times.length] ?? 0
  }

  #advance(now: number): number {
    if (now > this.#latest) this.#latest = now
    while (this.#size > 0 && this.#timeAt(0) + windowMs <= this.#latest) {
      this.#oldest = (this.#oldest + 1) % this.#times.length
      this.#size -= 1
    }
    return this.#latest
  }

  #grow(): void {
    const larger = new Float64Array(this.#times.length * 2)
    for (let index = 0; index < this.#size; index += 1) larger[index] = this.#timeAt(index)
    this.#times = larger
    this.#oldest = 0
  }
}
