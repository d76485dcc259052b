// How the ledger writer commits where the limits are shared: one statement on a connection of its own, without a transaction around it.
import type { LedgerBatch } from '../../store/statements/ledger-batch.ts'
import { buildSettlement, settleText, toSharedSettlement } from '../../store/statements/settle-shared.ts'
import { isExceeding } from '../../store/statements/uncharged-sums.ts'
import type { RunQuery } from './admission-lane.ts'

/** `commitLedger` is that of the store: it takes the few batches that order videos, withhold answers or have used more than was held. */
export function createSharedCommit(
  run: RunQuery,
  commitLedger: (batch: LedgerBatch) => Promise<void>,
): (batch: LedgerBatch) => Promise<void> {
  return async batch => {
    const isRare = batch.videoTasks.length + batch.undelivered.length > 0 || batch.charges.some(isExceeding)
    if (isRare) return await commitLedger(batch)
    await run({ name: 'settle_2', text: settleText, values: buildSettlement(toSharedSettlement(batch)) })
  }
}
