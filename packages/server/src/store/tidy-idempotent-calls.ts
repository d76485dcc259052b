// Limits the table of idempotent calls: deletes expired ones, and a team's oldest answers if they take too much space.
import type { Store } from './store.ts'

/** Each row can hold 32 MiB, and charges wait for the same writer. */
const rowsPerBatch = 20
const interval = 60_000
/** Answers kept for one team. */
const defaultBytesPerTeam = 1024 ** 3

export type TidyDependencies = {
  readonly store: {
    readonly read: Pick<Store['read'], 'sumReplyBytes'>
    readonly write: Pick<Store['write'], 'deleteExpiredCalls' | 'dropOldestReplies'>
  }
  /** Runs a function at this interval (ms); returns its stop. */
  readonly every: (milliseconds: number, run: () => void) => () => void
  /** Unix ms. */
  readonly clock: () => number
  readonly reportFailure: (error: unknown) => void
  readonly bytesPerTeam?: number
}

/** Returns its stop. After a failure the next round tries again. */
export function tidyIdempotentCalls(dependencies: TidyDependencies): () => void {
  const { store, every, clock, reportFailure, bytesPerTeam = defaultBytesPerTeam } = dependencies
  let isRunning = false
  let isStopped = false

  async function deleteExpired(): Promise<void> {
    let deleted = rowsPerBatch
    while (deleted === rowsPerBatch && !isStopped)
      deleted = (await store.write.deleteExpiredCalls({ now: clock(), limit: rowsPerBatch })).deleted
  }
  async function dropSurplus(): Promise<void> {
    for (const { teamId, bytes } of await store.read.sumReplyBytes({ above: bytesPerTeam })) {
      let surplus = bytes - bytesPerTeam
      while (surplus > 0 && !isStopped) {
        const { freed } = await store.write.dropOldestReplies({ teamId, bytes: surplus, limit: rowsPerBatch })
        if (freed === 0) break
        surplus -= freed
      }
    }
  }
  const run = async () => {
    if (isRunning) return
    isRunning = true
    try {
      await deleteExpired()
      await dropSurplus()
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
