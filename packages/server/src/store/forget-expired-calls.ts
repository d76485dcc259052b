// Keeps the memory of idempotent calls from growing: what has expired is deleted bit by bit.
import type { Store } from './store.ts'

const rowsPerBatch = 20
const interval = 60_000

/** Returns its stop. A failure is left to the next round. */
export function forgetExpiredCalls(dependencies: {
  readonly deleteExpiredCalls: Store['write']['deleteExpiredCalls']
  /** Runs a function every so many milliseconds; returns its stop. */
  readonly every: (milliseconds: number, run: () => void) => () => void
  /** Unix ms. */
  readonly clock: () => number
  readonly reportFailure: (error: unknown) => void
}): () => void {
  const { deleteExpiredCalls, every, clock, reportFailure } = dependencies
  let isRunning = false
  let isStopped = false
  const run = async () => {
    if (isRunning) return
    isRunning = true
    try {
      let deleted = rowsPerBatch
      while (deleted === rowsPerBatch && !isStopped)
        deleted = (await deleteExpiredCalls({ now: clock(), limit: rowsPerBatch })).deleted
    } catch (error) {
      reportFailure(error)
    } finally {
      isRunning = false
    }
  }
  const stop = every(interval, () => void run())
  return () => {
    isStopped = true
    stop()
  }
}
