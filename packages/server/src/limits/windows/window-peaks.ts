// Remembers the highest use of each window in the last hour, from figures that other code has read.

const minuteMs = 60_000
const rememberedMinutes = 60

/**
 * Only as exact as its samples: what came and went between two reads is missing. It never falls below a figure seen within the hour, keeps
 * each for an hour to the minute, and starts over with each process. Processes that share the limits read the same windows at different
 * moments: peaks that last as long as the read interval show up in all of them, shorter ones in some.
 */
export class WindowPeaks {
  readonly #minutesOf = new Map<string, Map<number, number>>()
  #tidiedAt = 0

  /** `now`: Unix ms. Idle windows take no memory. */
  note(name: string, used: number, now: number): void {
    if (used <= 0) return
    const minute = Math.floor(now / minuteMs)
    const minutes = this.#minutesOf.get(name) ?? new Map<number, number>()
    minutes.set(minute, Math.max(used, minutes.get(minute) ?? 0))
    this.#minutesOf.set(name, minutes)
    this.#tidy(minute)
  }

  peakOf(name: string, now: number): number {
    const oldest = oldestOf(Math.floor(now / minuteMs))
    let most = 0
    for (const [minute, used] of this.#minutesOf.get(name) ?? [])
      if (minute >= oldest) most = Math.max(most, used)
    return most
  }

  /** Number of remembered windows, for tests of its bound. */
  get size(): number {
    return this.#minutesOf.size
  }

  #tidy(minute: number): void {
    if (minute <= this.#tidiedAt) return
    this.#tidiedAt = minute
    const oldest = oldestOf(minute)
    for (const [name, minutes] of this.#minutesOf) {
      for (const known of minutes.keys()) if (known < oldest) minutes.delete(known)
      if (minutes.size === 0) this.#minutesOf.delete(name)
    }
  }
}

function oldestOf(minute: number): number {
  return minute - rememberedMinutes + 1
}
