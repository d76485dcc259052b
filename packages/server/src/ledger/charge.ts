// The ledger rows of a paid call: its charge, and while it streams, what a crash would charge.
import type { CallFacts } from './call-record.ts'
import type { HoldExcess } from './hold-ratio.ts'
import type { Units } from './price.ts'

/** `interrupted`: a stream found open after a crash. `refunded`: reverses a charge. */
export type ChargeOutcome = 'completed' | 'client_closed' | 'failed' | 'interrupted' | 'refunded'

/**
 * Why the cost is not simply usage × price. The hold was charged: `usage_absent` (nothing was reported), `usage_invalid` (the figures are
 * no valid usage), `usage_above_hold`, `unit_unpriced`, `not_metered` (the call failed in this server after the upstream had answered).
 * `estimated`: a stream ended before its usage was known.
 */
export type ChargeFlag =
  | 'usage_absent'
  | 'usage_invalid'
  | 'usage_above_hold'
  | 'unit_unpriced'
  | 'estimated'
  | 'not_metered'

/**
 * What the charge does to the row of the running call: that of a stream goes in the same transaction, that of an order stays until the
 * upstream has answered. A `call` with in-memory limits has no row.
 */
export type ChargeKind = 'call' | 'stream' | 'order'

/** The call and the budget periods (by their start, Unix ms) in which it was admitted. */
type AdmittedCall = {
  readonly callId: string
  readonly teamId: string
  readonly keyHash: string
  readonly modelId: string
  readonly endpoint: string
  readonly periods: { readonly team: number; readonly key: number }
  /** Unix ms. */
  readonly admittedAt: number
}

type Use = {
  readonly units: Units
  /** Nano-dollars; negative for a refund. */
  readonly cost: number
  readonly flag: ChargeFlag | null
  /** JSON: what the upstream reported, if it was not charged unchanged; null otherwise. */
  readonly reported: string | null
}

/** One finished call that cost something or used tokens. */
export type Charge = AdmittedCall &
  Use & {
    /** The model of the key budget that it counts in, if a fallback served the call; absent if it is `modelId`. */
    readonly budgetModelId?: string
    readonly outcome: ChargeOutcome
    /** Plausible usage above the hold; absent otherwise. */
    readonly excess?: HoldExcess
    /** Unix ms. */
    readonly settledAt: number
    readonly durationMs: number
    readonly kind: ChargeKind
    /** Further facts for its record; null if it is no call of a client, such as a refund. */
    readonly facts: CallFacts | null
  }

/** A stream at the start of its answer: nothing is used yet. */
export type OpenedStream = AdmittedCall & {
  /** Tokens that the call took from the token windows. */
  readonly reservedTokens: number
  /** For the record of the call if a crash ends it. */
  readonly facts: CallFacts | null
}

export type CallRef = { readonly teamId: string; readonly callId: string }

/** An answer that its client did not get because its charge could not be recorded in time. `at`: when it was withheld (Unix ms). */
export type UndeliveredAnswer = CallRef & { readonly at: number }

/**
 * What happens to a charge that could not be written when its call ended. `charge`: written as soon as possible. `wait`: the same, and the
 * call waits for it. `refund`: written together with its refund, because the client got no answer. `undelivered`: charged for what was
 * delivered, and listed for organisers because the end of the answer is missing.
 */
export type LateEnd = 'charge' | 'wait' | 'refund' | 'undelivered'

/** Usage of a stream up to `progressAt` (Unix ms), which a crash charges. */
export type StreamProgress = CallRef & Use & { readonly progressAt: number }
