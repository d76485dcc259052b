// Starts limits in PostgreSQL for one of any number of processes: its lease, its connections, and the sweep of dead processes.
import { reportTo } from '../store/open-store.ts'
import type { ServerChoice } from '../store/postgres/choose-server.ts'
import { HotConnection } from '../store/postgres/hot-connection.ts'
import { openLeaseConnection } from '../store/postgres/open-lease-connection.ts'
import type { LedgerBatch } from '../store/statements/ledger-batch.ts'
import type { ProcessState } from '../store/statements/processes.ts'
import { buildSettlement, settleText, toSharedSettlement } from '../store/statements/settle-shared.ts'
import { isExceeding } from '../store/statements/uncharged-sums.ts'
import type { World } from '../world/world.ts'
import { holdRenewed } from './hold-lease.ts'
import type { RunQuery } from './shared/admission-lane.ts'
import { keepExchanging } from './shared/exchange-reports.ts'
import { SharedLimits } from './shared/shared-limits.ts'
import type { StartedLimits } from './started-limits.ts'
import { keepSweeping } from './sweep-dead.ts'

export type SharedPlace = {
  /** For the hot statements, which stay prepared on their own connection. */
  readonly database: ServerChoice
  /** State that other processes see with each renewal. */
  readonly describe: () => ProcessState
  /** See `DirectoryFollower.noteSeen`. */
  readonly noteDirectory: (version: number, askedAt: number) => void
}

/** Admissions need not wait for the disk: the processes announce again what a database crash loses. */
const admissionSettings = ['set synchronous_commit = off']
const statementMs = 2000
/** A settlement has a whole batch of the ledger. */
const settlementMs = 10_000

export async function startSharedLimits(
  { store, clock, metrics, log, every, after }: World,
  { database, describe, noteDirectory }: SharedPlace,
  version: string,
): Promise<StartedLimits> {
  const monotonicMs = () => performance.now()
  const connect = (name: string, milliseconds: number, settings: readonly string[]) =>
    new HotConnection({ database, name, settings, statementMs: milliseconds })
  const admitting = connect('fairgate-admit', statementMs, admissionSettings)
  const settling = connect('fairgate-settle', settlementMs, [])
  const reading = connect('fairgate-spend', statementMs, [])
  const throughStore =
    (connection: HotConnection): RunQuery =>
    query =>
      store.runApart(() => connection.run({ ...query, values: [...query.values] }))

  const leaseConnection = openLeaseConnection(database)
  const lease = await holdRenewed({
    write: store.write,
    version,
    newId: () => Bun.randomUUIDv7(),
    renew: leaseConnection.renew,
    describe,
    every,
    monotonicMs,
    wait: milliseconds => Bun.sleep(milliseconds),
    reportLost: () => log.warn('This process lost its lease. Its streams end and paid calls are refused.'),
    reportNewPlace: ({ processId, slot }) =>
      log.warn({ process_id: processId, slot }, 'This process was considered dead. It has registered again.'),
  })
  const stopSweeping = keepSweeping({
    store,
    lease,
    clock,
    every,
    report: swept => log.warn(swept, 'Another process died. Its calls were ended.'),
    reportFailure: reportTo(log, 'warn', 'Calls of dead processes could not be ended; retrying.'),
  })
  const limits = new SharedLimits({
    run: throughStore(admitting),
    read: throughStore(reading),
    lease,
    noteDirectory,
    monotonicMs,
    nextTurn: () => new Promise(resolve => setImmediate(resolve)),
    after,
    every,
    clock,
    observeBatch: metrics.observeAdmissions,
    reportFailure: reportTo(log, 'warn', 'Calls cannot be admitted and are refused.'),
  })
  await limits.begin()
  let stopExchanging = async (): Promise<void> => undefined
  return {
    limits,
    lease,
    joinLines: lines => {
      stopExchanging = keepExchanging({
        lines,
        run: throughStore(reading),
        processId: () => lease.process().processId,
        every,
        monotonicMs,
        reportFailure: reportTo(
          log,
          'warn',
          'Queues for scarce models could not be shared with other processes.',
        ),
      })
    },
    commit: createSharedCommit(throughStore(settling), store.write.commitLedger),
    gatherWindows: () => null,
    stop: async () => {
      await Promise.all([stopSweeping(), stopExchanging()])
      await limits.close()
      await lease.stop()
      await leaseConnection.close()
      await Promise.all([admitting.close(), settling.close(), reading.close()])
    },
  }
}

/** `commitLedger` is the store's own: it takes the few batches that order videos, withhold answers or used more than was held. */
function createSharedCommit(
  run: RunQuery,
  commitLedger: (batch: LedgerBatch) => Promise<void>,
): (batch: LedgerBatch) => Promise<void> {
  return async batch => {
    const isRare = batch.videoTasks.length + batch.undelivered.length > 0 || batch.charges.some(isExceeding)
    if (isRare) return await commitLedger(batch)
    await run({ name: 'settle_2', text: settleText, values: buildSettlement(toSharedSettlement(batch)) })
  }
}
