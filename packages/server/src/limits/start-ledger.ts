// Starts the ledger: the limits, wherever they are counted, and the writer of charges.
import { readFile } from 'node:fs/promises'
import { LedgerWriter } from '../store/ledger-writer.ts'
import { reportTo } from '../store/open-store.ts'
import type { VideoWrites } from '../store/statements/video-tasks.ts'
import { tidyIdempotentCalls } from '../store/tidy-idempotent-calls.ts'
import type { World } from '../world/world.ts'
import { startMemoryLimits } from './start-memory-limits.ts'
import { type SharedPlace, startSharedLimits } from './start-shared-limits.ts'

/** `shared`: PostgreSQL; null on SQLite, when the limits are in the memory of the only process. */
export async function startLedger(world: World, shared: SharedPlace | null) {
  const { store, clock, metrics, log, every, after } = world
  const version = await readVersion()
  const started =
    shared === null
      ? await startMemoryLimits(world, version)
      : await startSharedLimits(world, shared, version)
  const { limits, lease } = started
  const reportCharges = reportTo(log, 'error', 'Charges could not be written; retrying.')
  const writer = new LedgerWriter({
    process: lease.process,
    commit: started.commit,
    gatherWindows: started.gatherWindows,
    reportWindowFailure: reportTo(
      log,
      'warn',
      'The state of the windows could not be written; retrying every second.',
    ),
    every,
    observeCommit: metrics.observeCommit,
    reportFailure: (error, rows) => reportCharges(error, { rows }),
    monotonicMs: () => performance.now(),
    nextTurn: () => new Promise(resolve => setImmediate(resolve)),
    after,
  })
  lease.whenLost(() => writer.stopStreams())
  const stopTidying = tidyIdempotentCalls({
    store,
    every,
    clock,
    reportFailure: reportTo(log, 'warn', 'Expired replies of idempotent calls could not be removed.'),
  })
  metrics.watch({
    limits: limits.totals,
    storeFailure: store.health.failure,
    unwritten: () => writer.countUnwritten(),
  })
  const whyUnhealthy = () => {
    const failure = store.health.failure()
    if (failure !== null) return failure
    if (!lease.isHeld()) return 'lease_lost'
    return writer.isHealthy() ? null : 'charges_unwritten'
  }
  const videoWrites: VideoWrites = {
    markVideoTaskStarted: task => store.write.markVideoTaskStarted({ ...task, process: lease.process() }),
    failVideoTask: task => store.write.failVideoTask({ ...task, process: lease.process() }),
  }
  return {
    limits,
    writer,
    lease,
    joinLines: started.joinLines,
    videoWrites,
    /** Reason why no charge can be written now, as a word for the health pages; null if charges can. */
    whyUnhealthy,
    /** Ended calls with charges that only a restart could write. A drain does not wait for them. */
    countHopeless: () => (store.health.failure() === 'database_damaged' ? writer.countUnwritten() : 0),
    /** Writes the remaining charges; false if charges were lost. */
    stop: async () => {
      stopTidying()
      const isWritten = await writer.close()
      await started.stop()
      if (!isWritten) log.error('Charges could not be written before shutdown.')
      return isWritten
    },
  }
}

/** The version of this server. */
export async function readVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  const { version }: { readonly version: string } = JSON.parse(text)
  return version
}
