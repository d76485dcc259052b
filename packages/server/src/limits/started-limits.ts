// What both ways to count limits start.
import type { LedgerWriterDependencies } from '../store/ledger-writer.ts'
import type { FairLines } from './fair/fair-lines.ts'
import type { Lease } from './hold-lease.ts'
import type { Limits } from './port.ts'

/** The limits, wherever they are counted, with what the ledger's writer needs of that. */
export type StartedLimits = {
  readonly limits: Limits
  readonly lease: Lease
  readonly commit: LedgerWriterDependencies['commit']
  readonly gatherWindows: LedgerWriterDependencies['gatherWindows']
  /** Where several processes count together: their lines tell each other what they have given. */
  readonly joinLines?: (lines: FairLines) => void
  /** After the last charge is written. */
  readonly stop: () => Promise<void>
}
