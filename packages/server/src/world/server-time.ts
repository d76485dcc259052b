// The clocks of a server: its own steady clock, the time of day, and the time since its start.
import { createSteadyClock } from './steady-clock.ts'

export type ServerTime = {
  /** Unix ms; it never steps. */
  readonly clock: () => number
  /** Unix ms: the time of day. */
  readonly wallClock: () => number
  /** Monotonic ms. */
  readonly stopwatch: () => number
}

/** `own`: replaces the real clock. */
export function createServerTime(own?: () => number): ServerTime {
  const wallClock = own ?? Date.now
  const stopwatch = () => performance.now()
  const clock = own ?? createSteadyClock(wallClock, stopwatch)
  return { clock, wallClock, stopwatch }
}
