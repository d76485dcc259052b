// How much an upstream may send, and how long it may be silent, before its reply is given up.
import type { ByteBudget } from './byte-budget.ts'
import type { UpstreamEndpoint } from './timeouts.ts'

export type ReplyBounds = {
  /** Bytes of a whole reply, for each kind of call. */
  readonly replyBytes: Readonly<Record<UpstreamEndpoint, number>>
  /** Bytes of a stream, from its first to its last. */
  readonly streamBytes: number
  /** Between two pieces of a reply that has begun, in ms. */
  readonly silenceMs: number
  /** What all whole replies that are being read may have together. */
  readonly heldBytes: ByteBudget
}

/** Of a refusal no more is read: its message is in there, or it has none for us. */
export const errorBytes = 64 * 1024
/** The status is known by then; its body is waited for no longer. */
export const errorBodyMs = 5000
