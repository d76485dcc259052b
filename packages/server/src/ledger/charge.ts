// What a paid call leaves in the ledger: its charge, and while it streams, what a crash would charge.
import type { CallFacts } from './call-record.ts'
import type { HoldExcess } from './hold-ratio.ts'
import type { Units } from './price.ts'

/** `interrupted`: a stream found open after a crash. `refunded`: takes a charge back. */
export type ChargeOutcome = 'completed' | 'client_closed' | 'failed' | 'interrupted' | 'refunded'

/**
 * Why the cost is not plain usage × price. The hold was charged: `usage_absent` (nothing was reported), `usage_invalid` (no
 * figures of a use), `usage_above_hold`, `unit_unpriced`, `not_metered` (the call broke in this server after the upstream had
 * answered). `estimated`: a stream ended before its usage was known.
 */
export type ChargeFlag =
  | 'usage_absent'
  | 'usage_invalid'
  | 'usage_above_hold'
  | 'unit_unpriced'
  | 'estimated'
  | 'not_metered'

/**
 * What the charge means for the row of the running call: that of a stream goes in the same transaction, that of an order stays until
 * the upstream has answered. A `call` with limits in memory has no row.
 */
export type ChargeKind = 'call' | 'stream' | 'order'

/** Which call it was, and the budget periods (by their start, Unix ms) in which it was admitted. */
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
  /** JSON: what the upstream said where that was not charged as it stands; null otherwise. */
  readonly reported: string | null
}

/** One finished call that cost something or used tokens. */
export type Charge = AdmittedCall &
  Use & {
    /** The model whose budget of the key it counts in, where a fallback has served in its place; absent where it is `modelId`. */
    readonly budgetModelId?: string
    readonly outcome: ChargeOutcome
    /** What was used above the hold, if that can be true; absent otherwise. */
    readonly excess?: HoldExcess
    /** Unix ms. */
    readonly settledAt: number
    readonly durationMs: number
    readonly kind: ChargeKind
    /** What its record has besides; null for what is no call of a client, such as a refund. */
    readonly facts: CallFacts | null
  }

/** A stream whose answer begins: nothing is used yet. */
export type OpenedStream = AdmittedCall & {
  /** What the call took of the token windows. */
  readonly reservedTokens: number
  /** For the record of the call, should a crash end it. */
  readonly facts: CallFacts | null
}

export type CallRef = { readonly teamId: string; readonly callId: string }

/** An answer that its client did not get because its charge could not be recorded in time. `at`: when it was withheld (Unix ms). */
export type UndeliveredAnswer = CallRef & { readonly at: number }

/**
 * What becomes of a charge that could not be written when its call ended. `charge`: written as soon as possible. `wait`: the same, and
 * the call waits for it. `refund`: written together with its refund, since the client got no answer. `undelivered`: charged for what
 * was delivered, and listed for organisers because the end of the answer is missing.
 */
export type LateEnd = 'charge' | 'wait' | 'refund' | 'undelivered'

/** What a stream has used by `progressAt` (Unix ms): what a crash charges. */
export type StreamProgress = CallRef & Use & { readonly progressAt: number }
