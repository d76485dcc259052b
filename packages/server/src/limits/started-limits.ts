// The interface that both implementations of the limits return when started.
import type { LedgerWriterDependencies } from '../store/ledger-writer.ts'
import type { FairLines } from './fair/fair-lines.ts'
import type { Lease } from './hold-lease.ts'
import type { Limits } from './port.ts'

/** The limits, wherever they are counted, with what the ledger's writer needs from them. */
export type StartedLimits = {
  readonly limits: Limits
  readonly lease: Lease
  readonly commit: LedgerWriterDependencies['commit']
  readonly gatherWindows: LedgerWriterDependencies['gatherWindows']
  /** Set if multiple processes count together: their queues report to each other what they have given. */
  readonly joinLines?: (lines: FairLines) => void
  /** Call after the last charge is written. */
  readonly stop: () => Promise<void>
}
