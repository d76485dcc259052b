// How the ledger writer commits where the limits are shared: one statement on a connection of its own, without a transaction around it.
import type { LedgerBatch } from '../../store/statements/ledger-batch.ts'
import { buildSettlement, settleText, toSharedSettlement } from '../../store/statements/settle-shared.ts'
import type { RunQuery } from './admission-lane.ts'

/** `commitLedger` is that of the store: it takes the few batches in which videos are ordered. */
export function createSharedCommit(
  run: RunQuery,
  commitLedger: (batch: LedgerBatch) => Promise<void>,
): (batch: LedgerBatch) => Promise<void> {
  return async batch => {
    if (batch.videoTasks.length > 0) return await commitLedger(batch)
    await run({ name: 'settle_1', text: settleText, values: buildSettlement(toSharedSettlement(batch)) })
  }
}
