// Starts the call record: files charged calls, writes uncharged ones, and deletes those past their retention.
import type { Settings } from '../config/settings-file.ts'
import type { Log } from '../http/log.ts'
import type { CallRecord } from '../ledger/call-record.ts'
import { unlessReported } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { every } from '../world/timers.ts'
import { UnchargedCalls } from './call-record/uncharged-calls.ts'

export type CallRecordDependencies = {
  readonly store: Pick<Store, 'fileCalls'> & {
    readonly write: Pick<Store['write'], 'recordCalls' | 'deleteOldCalls'>
  }
  readonly settings: Pick<Settings, 'calls'>
  /** Unix ms. */
  readonly clock: () => number
  readonly log: Pick<Log, 'warn'>
}

/** How far a call's row may lag behind its charge, unless calls are requested. */
const fileEveryMs = 1000
const tidyEveryMs = 60 * 60_000
const rowsPerDeletion = 500
const dayMs = 24 * 60 * 60_000

export function startCallRecord({ store, settings, clock, log }: CallRecordDependencies) {
  const uncharged = new UnchargedCalls({
    write: calls => store.write.recordCalls({ calls }),
    every,
    clock,
    reportFailure: unlessReported((error, waiting: number) =>
      log.warn({ err: error, calls: waiting }, 'Could not record calls; retrying every second.'),
    ),
  })
  const reportUnfiled = unlessReported(error =>
    log.warn({ err: error }, 'Could not file recorded calls; retrying every second.'),
  )
  const file = () => store.fileCalls().catch(reportUnfiled)
  void file()
  const stopFiling = every(fileEveryMs, () => void file())
  const stopTidying = deleteOld()
  return {
    add: (call: CallRecord) => uncharged.add(call),
    stop: async () => {
      stopFiling()
      stopTidying()
      await file()
      const isWritten = await uncharged.close()
      if (!isWritten) log.warn('Could not record the refused calls of the last minute before exiting.')
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
    const report = unlessReported(error => log.warn({ err: error }, 'Could not delete old calls.'))
    const start = () => void run().catch(report)
    start()
    const stop = every(tidyEveryMs, start)
    return () => {
      isStopped = true
      stop()
    }
  }
}
