// Starts the ledger: settles what the last process left open, recalls what was spent and counted, and writes charges from then on.
import type { Log } from '../http/log.ts'
import type { Metrics } from '../http/metrics.ts'
import { loadTotals } from '../limits/load-totals.ts'
import { createMemoryLimits } from '../limits/memory/create-memory-limits.ts'
import { createWindowJournal } from '../limits/windows/create-window-journal.ts'
import { recallWindows } from '../limits/windows/recall-windows.ts'
import { LedgerWriter } from '../store/ledger-writer.ts'
import type { Store } from '../store/store.ts'
import { tidyIdempotentCalls } from '../store/tidy-idempotent-calls.ts'
import type { Notices } from './hold-notices.ts'
import { unlessReported } from './open-store.ts'
import { after, every } from './timers.ts'

export type Ledger = Awaited<ReturnType<typeof startLedger>>

export type LedgerDependencies = {
  readonly store: Store
  /** Unix ms; it never steps. */
  readonly clock: () => number
  /** Unix ms: the time of day. */
  readonly wallClock: () => number
  readonly metrics: Pick<Metrics, 'observeCommit' | 'watchLimits' | 'watchStore'>
  readonly log: Pick<Log, 'warn' | 'error'>
  readonly notices: Notices
}

export async function startLedger(dependencies: LedgerDependencies) {
  const { store, clock, wallClock, metrics, log } = dependencies
  const { limits, lastSequence } = await recallLimits(dependencies)
  const writer = new LedgerWriter({
    commit: store.write.commitLedger,
    gatherWindows: createWindowJournal({ gather: limits.gatherWindows, clock, wallClock, lastSequence }),
    reportWindowFailure: unlessReported(error =>
      log.warn({ err: error }, 'The state of the windows could not be written; retrying every second.'),
    ),
    every,
    observeCommit: metrics.observeCommit,
    reportFailure: unlessReported((error, rows: number) =>
      log.error({ err: error, rows }, 'Charges could not be written; they are retried.'),
    ),
    monotonicMs: () => performance.now(),
    nextTurn: () => new Promise(resolve => setImmediate(resolve)),
    after,
  })
  const stopTidying = tidyIdempotentCalls({
    store,
    every,
    clock,
    reportFailure: unlessReported(error =>
      log.warn({ err: error }, 'Old answers of idempotent calls could not be removed.'),
    ),
  })
  metrics.watchLimits(limits.totals)
  metrics.watchStore(store.health.failure, () => writer.countUnwritten())
  const whyUnhealthy = () => store.health.failure() ?? (writer.isHealthy() ? null : 'charges_unwritten')
  return {
    limits,
    writer,
    /** Why no charge could be written now, as a word for the health pages; null while charges can be. */
    whyUnhealthy,
    /** Nothing that costs money may start while its charge could not be written. */
    isHealthy: () => whyUnhealthy() === null,
    /** Ended calls whose charges only a restart could write. A drain does not wait for them. */
    countHopeless: () => {
      const reason = store.health.failure()
      return reason === 'database_damaged' || reason === 'database_in_use' ? writer.countUnwritten() : 0
    },
    /** Writes what is left; false when charges were lost. */
    stop: async () => {
      stopTidying()
      const isWritten = await writer.close()
      if (!isWritten) log.error('Charges could not be written before the exit.')
      return isWritten
    },
  }
}

/** The limits as the last process left them, after its streams and video orders that it did not finish are settled. */
async function recallLimits({ store, clock, notices }: LedgerDependencies) {
  // Read first: the next statement takes these rows away, and the windows need them.
  const openStreams = await store.read.readOpenStreams()
  const { charged } = await store.write.chargeInterruptedStreams({ now: clock() })
  if (charged > 0)
    notices.warn({ streams: charged }, 'A crash cut off streams; each was charged for what it had delivered.')
  const { failed } = await store.write.failInterruptedVideoTasks({ now: clock() })
  if (failed > 0)
    notices.warn({ videos: failed }, 'Videos that were being ordered when the server stopped were refunded.')
  const limits = createMemoryLimits({ clock })
  loadTotals(limits, await store.read.readTotals())
  const { lastSequence } = await recallWindows({
    read: store.read,
    limits,
    clock,
    openStreams,
    reportDamage: rows =>
      notices.warn(
        { rows },
        'Some rows about the windows of the last minute were damaged. The charges of that minute were counted instead.',
      ),
  })
  return { limits, lastSequence }
}
