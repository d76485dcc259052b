// The times that a server counts by: of its own clock, of the day, and since its start.
import { createSteadyClock } from './steady-clock.ts'

export type ServerTime = {
  /** Unix ms; it never steps. */
  readonly clock: () => number
  /** Unix ms: the time of day. */
  readonly wallClock: () => number
  /** Unix ms: the time of day by the clock of the database; ours when the database has none of its own. */
  readonly databaseClock: () => number
  /** Monotonic ms. */
  readonly stopwatch: () => number
}

/** `own`: a clock in place of the real one. */
export function createServerTime(own?: () => number): ServerTime {
  const wallClock = own ?? Date.now
  const stopwatch = () => performance.now()
  const clock = own ?? createSteadyClock(wallClock, stopwatch)
  return { clock, wallClock, databaseClock: wallClock, stopwatch }
}

/**
 * Adds the clock of a database server, which other machines share. `readClock`: in microseconds. A clock that was passed in stays the only one.
 */
export async function addDatabaseClock(
  time: ServerTime,
  readClock: () => Promise<number>,
): Promise<ServerTime> {
  if (time.clock === time.wallClock) return time
  const databaseMs = Math.floor((await readClock()) / 1000)
  return { ...time, databaseClock: createSteadyClock(() => databaseMs, time.stopwatch) }
}
