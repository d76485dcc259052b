// Starts the record of calls: writes those that are not charged, and deletes what is older than it is to be kept.
import type { Settings } from '../config/settings-file.ts'
import type { Log } from '../http/log.ts'
import { unlessReported } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { every } from '../world/timers.ts'
import type { GatewayParts } from './app.ts'
import { UnchargedCalls } from './call-record/uncharged-calls.ts'

export type CallRecordDependencies = {
  readonly store: {
    readonly write: Pick<Store['write'], 'recordCalls' | 'deleteOldCalls'>
  }
  readonly settings: Pick<Settings, 'calls'>
  readonly digestTexts: GatewayParts['digestTexts']
  /** Unix ms. */
  readonly clock: () => number
  readonly log: Pick<Log, 'warn'>
}

const tidyEveryMs = 60 * 60_000
const rowsPerDeletion = 500
const dayMs = 24 * 60 * 60_000

export function startCallRecord({ store, settings, digestTexts, clock, log }: CallRecordDependencies) {
  const uncharged = new UnchargedCalls({
    write: calls => store.write.recordCalls({ calls }),
    every,
    clock,
    reportFailure: unlessReported((error, waiting: number) =>
      log.warn({ err: error, calls: waiting }, 'Calls could not be put on record; retrying every second.'),
    ),
  })
  const stopTidying = deleteOld()
  return {
    parts: {
      digestTexts,
      recordUncharged: call => uncharged.add(call),
      stopwatch: () => performance.now(),
    } satisfies Pick<GatewayParts, 'digestTexts' | 'recordUncharged' | 'stopwatch'>,
    stop: async () => {
      stopTidying()
      const isWritten = await uncharged.close()
      if (!isWritten) log.warn('Refused calls of the last minute could not be put on record before the exit.')
    },
  }

  /** Returns its stop. */
  function deleteOld(): () => void {
    const { keep_days: keepDays } = settings.calls
    if (keepDays === 0) return () => undefined
    let isStopped = false
    const run = async () => {
      const before = clock() - keepDays * dayMs
      let deleted = rowsPerDeletion
      while (deleted === rowsPerDeletion && !isStopped)
        deleted = (await store.write.deleteOldCalls({ before, limit: rowsPerDeletion })).deleted
    }
    const report = unlessReported(error => log.warn({ err: error }, 'Old calls could not be deleted.'))
    const start = () => void run().catch(report)
    start()
    const stop = every(tidyEveryMs, start)
    return () => {
      isStopped = true
      stop()
    }
  }
}
