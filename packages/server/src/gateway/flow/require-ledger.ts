// Money fails closed: nothing is admitted, repeated or previewed while charges cannot be written.
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'

export type LedgerHealth = {
  /** False while the ledger cannot be written: paid calls are refused then (fail closed). */
  readonly isLedgerHealthy: () => boolean
  /** While that is false: resolves, within about a second, with whether it was only for a moment. Absent where it never is. */
  readonly awaitLedgerHealth?: () => Promise<boolean>
}

/** A process that was busy for a moment looks at the database first. Rejects with ApiError `unavailable` where that does not help. */
export async function requireLedger({ isLedgerHealthy, awaitLedgerHealth }: LedgerHealth): Promise<void> {
  if (!isLedgerHealthy() && (await awaitLedgerHealth?.()) !== true) throw unavailable(2)
}
