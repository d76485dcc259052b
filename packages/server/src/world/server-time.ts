// The times that a server counts by: of its own clock, of the day, and since its start.
import { createSteadyClock } from './steady-clock.ts'

export type ServerTime = {
  /** Unix ms; it never steps. */
  readonly clock: () => number
  /** Unix ms: the time of day. */
  readonly wallClock: () => number
  /** Monotonic ms. */
  readonly stopwatch: () => number
}

/** `own`: a clock in place of the real one. */
export function createServerTime(own?: () => number): ServerTime {
  const wallClock = own ?? Date.now
  const stopwatch = () => performance.now()
  const clock = own ?? createSteadyClock(wallClock, stopwatch)
  return { clock, wallClock, stopwatch }
}
