// The clock for limits and periods. It starts at the wall clock's time and never steps, even if that clock is set.

/**
 * Unix ms. Windows and budget periods must not stand still or jump when an operator or NTP sets the clock, so the wall clock is read
 * only here. A correction takes effect at the next start.
 */
export function createSteadyClock(wallMs: () => number, monotonicMs: () => number): () => number {
  const offset = wallMs() - monotonicMs()
  return () => Math.floor(offset + monotonicMs())
}
