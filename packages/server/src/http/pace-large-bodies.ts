// Leaves the serving thread time for other calls between two large bodies. One body of 10 MB takes it 50 to 100 ms to check, parse and
// forward, and a small call needs four turns of the event loop. 67 such bodies without a pause delayed small calls by 0.4 s.

export type PaceDependencies = {
  /** Monotonic ms. */
  readonly stopwatch: () => number
  readonly wait: (milliseconds: number) => Promise<unknown>
}

/** Resolves when a body of so many bytes, which has arrived, may be worked on. */
export type PaceLargeBodies = (bytes: number) => Promise<unknown>

const largeBytes = 1024 * 1024
/** 80 MB a second: about half of what the thread can do. The other half is for everybody else. */
const bytesPerMs = 80_000

export function createPaceLargeBodies({ stopwatch, wait }: PaceDependencies): PaceLargeBodies {
  let freeAt = Number.NEGATIVE_INFINITY
  return async bytes => {
    if (bytes < largeBytes) return
    const now = stopwatch()
    const startAt = Math.max(now, freeAt)
    freeAt = startAt + bytes / bytesPerMs
    if (startAt > now) await wait(startAt - now)
  }
}
