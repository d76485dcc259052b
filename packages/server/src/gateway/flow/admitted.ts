// The resources that a call holds from its admission to its settlement.
import type { CatalogModel } from '../../catalog/types.ts'
import type { HoldMedium } from '../../ledger/hold-ratio.ts'
import type { Hold, RateSnapshot } from '../../limits/port.ts'
import type { Caller } from './authenticate.ts'

/** A call that may run. Its hold must be settled or released on every way out. */
export type Admitted = {
  readonly caller: Caller
  readonly callId: string
  readonly model: CatalogModel
  readonly endpoint: string
  /** Tokens reserved in the window. */
  readonly reservedTokens: number
  readonly hold: Hold
  /** Input tokens of one upstream call if the upstream's own count decided the admission, otherwise null. */
  readonly countedInput: number | null
  /** A better estimate decided the admission: the hold covers no fallbacks. */
  readonly isRefined: boolean
  /** The basis of the hold, and the ratio (in millionths) that it was raised by. */
  readonly basis: { readonly medium: HoldMedium; readonly ratio: number }
  readonly rates: RateSnapshot
}
