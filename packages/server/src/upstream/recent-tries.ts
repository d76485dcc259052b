// Counts the tries at one upstream of the last five minutes, and how many of them have failed.

export type TrySums = { readonly tries: number; readonly failed: number }

const sliceMs = 10_000
const slices = 30

/** Slices of ten seconds: what is counted is up to that much more than five minutes old at the end. */
export class RecentTries {
  readonly #tries = new Uint32Array(slices)
  readonly #failed = new Uint32Array(slices)
  /** Which slice of time each place holds. */
  readonly #held = new Float64Array(slices).fill(-1)

  /** `now`: ms of any clock that only goes forward, the same for all calls. */
  note(isFailed: boolean, now: number): void {
    const slice = Math.floor(now / sliceMs)
    const place = slice % slices
    if (this.#held[place] !== slice) {
      this.#held[place] = slice
      this.#tries[place] = 0
      this.#failed[place] = 0
    }
    this.#tries[place] = (this.#tries[place] ?? 0) + 1
    if (isFailed) this.#failed[place] = (this.#failed[place] ?? 0) + 1
  }

  sum(now: number): TrySums {
    const oldest = Math.floor(now / sliceMs) - slices
    let tries = 0
    let failed = 0
    for (let place = 0; place < slices; place += 1) {
      if ((this.#held[place] ?? -1) <= oldest) continue
      tries += this.#tries[place] ?? 0
      failed += this.#failed[place] ?? 0
    }
    return { tries, failed }
  }
}
