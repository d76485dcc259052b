// Starts the ledger: settles what the last process left open, recalls what was spent and counted, and writes charges from then on.

import { readFile } from 'node:fs/promises'
import type { Log } from '../http/log.ts'
import type { Metrics } from '../http/metrics.ts'
import { loadTotals } from '../limits/load-totals.ts'
import { createMemoryLimits } from '../limits/memory/create-memory-limits.ts'
import { createWindowJournal } from '../limits/windows/create-window-journal.ts'
import { recallWindows } from '../limits/windows/recall-windows.ts'
import { LedgerWriter } from '../store/ledger-writer.ts'
import type { VideoWrites } from '../store/statements/video-tasks.ts'
import type { Store } from '../store/store.ts'
import { tidyIdempotentCalls } from '../store/tidy-idempotent-calls.ts'
import { holdAlone } from './hold-lease.ts'
import type { Notices } from './hold-notices.ts'
import { unlessReported } from './open-store.ts'
import { sweepDead } from './sweep-dead.ts'
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
  const processId = Bun.randomUUIDv7()
  const { limits, lastSequence } = await recallLimits(dependencies, processId)
  const lease = await holdAlone({ write: store.write, version: await readVersion() }, processId)
  const writer = new LedgerWriter({
    process: lease.process,
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
  lease.whenLost(() => writer.stopStreams())
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
  const videoWrites: VideoWrites = {
    markVideoTaskStarted: task => store.write.markVideoTaskStarted({ ...task, process: lease.process() }),
    failVideoTask: task => store.write.failVideoTask({ ...task, process: lease.process() }),
  }
  return {
    limits,
    writer,
    lease,
    videoWrites,
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
      await lease.stop()
      if (!isWritten) log.error('Charges could not be written before the exit.')
      return isWritten
    },
  }
}

async function readVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  const { version }: { readonly version: string } = JSON.parse(text)
  return version
}

/** The limits as the last process left them, after its streams and video orders that it did not finish are settled. */
async function recallLimits({ store, clock, notices }: LedgerDependencies, processId: string) {
  await store.write.replaceOthers({ processId })
  // Read first: the sweep takes these rows away, and the windows need them.
  const leftStreams = await store.read.readLeftStreams({ processId })
  const { charged, refunded } = await sweepDead(store, { processId, slot: 0 }, { clock, withUnknown: true })
  if (charged > 0)
    notices.warn({ streams: charged }, 'A crash cut off streams; each was charged for what it had delivered.')
  if (refunded > 0)
    notices.warn(
      { videos: refunded },
      'Videos that were being ordered when the server stopped were refunded.',
    )
  const limits = createMemoryLimits({ clock })
  loadTotals(limits, await store.read.readTotals())
  const { lastSequence } = await recallWindows({
    read: store.read,
    limits,
    clock,
    leftStreams,
    reportDamage: rows =>
      notices.warn(
        { rows },
        'Some rows about the windows of the last minute were damaged. The charges of that minute were counted instead.',
      ),
  })
  return { limits, lastSequence }
}
