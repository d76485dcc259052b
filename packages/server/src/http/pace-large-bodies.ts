// Lets the serving thread come up for air between two large bodies: to check, parse and send on one of 10 MB takes it 50 to 100 ms, and a
// small call of somebody else needs four turns of the event loop. One after the other without a pause, 67 of them kept such calls for 0.4 s.

export type PaceDependencies = {
  /** Monotonic ms. */
  readonly stopwatch: () => number
  readonly wait: (milliseconds: number) => Promise<unknown>
}

/** Resolves when a body of so many bytes, which has arrived, may be worked on. */
export type PaceLargeBodies = (bytes: number) => Promise<unknown>

const largeBytes = 1024 * 1024
/** 80 MB a second: about half of what the thread could do, so that the other half is for everybody else. */
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
