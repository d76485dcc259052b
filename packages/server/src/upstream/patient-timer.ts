// A time limit that a frozen process does not miss by itself: one that fires late waits until what has arrived can be read.

export type Timers = {
  /** Monotonic, in ms. */
  readonly now: () => number
  /** Runs a function after so many ms; returns its cancellation. */
  readonly after: (milliseconds: number, run: () => void) => () => void
}

export const systemTimers: Timers = {
  now: () => performance.now(),
  after: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds)
    return () => clearTimeout(timer)
  },
}

/** A timer this late shows that the whole process stood still, and not only the upstream. */
const lateMs = 250
/** Long enough to read what lies in the buffers of the system. */
const graceMs = 1000

/** Runs `expire` when the time is over; a limit that is noticed late is extended once. Returns its cancellation. */
export function startPatientTimer(
  milliseconds: number,
  expire: () => void,
  timers: Timers = systemTimers,
): () => void {
  const due = timers.now() + milliseconds
  let cancel = timers.after(milliseconds, () => {
    if (timers.now() - due > lateMs) cancel = timers.after(graceMs, expire)
    else expire()
  })
  return () => cancel()
}
