// How the ledger writer commits where the limits are shared: one statement on a connection of its own, without a transaction around it.
import type { LedgerBatch } from '../../store/statements/ledger-batch.ts'
import {
  buildOneSettlement,
  buildSettlement,
  settleOneText,
  settleText,
  toSharedSettlement,
} from '../../store/statements/settle-shared.ts'
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
    const settlement = toSharedSettlement(batch)
    const one = buildOneSettlement(settlement)
    if (one !== null) {
      const rows = await run({ name: 'settle_one_2', text: settleOneText, values: one })
      if (rows[0]?.[0] === true) return
    }
    await run({ name: 'settle_2', text: settleText, values: buildSettlement(settlement) })
  }
}
