// How long an upstream may take, how much it may send, and how long it may be silent, before its reply is given up.
import type { ByteBudget } from './byte-budget.ts'

/** What an upstream is called for: each kind of call may have limits of its own. */
export type UpstreamEndpoint =
  | 'chat'
  | 'images'
  | 'speech'
  | 'music'
  | 'transcription'
  | 'embeddings'
  | 'videos'

/** Milliseconds from sending to the last byte, further tries included. */
export type UpstreamTimeouts = Readonly<Record<UpstreamEndpoint, number>>

export type ReplyBounds = {
  /** Bytes of a whole reply. */
  readonly replyBytes: Readonly<Record<UpstreamEndpoint, number>>
  /** Bytes of a stream, from its first to its last. */
  readonly streamBytes: number
  /** Between two pieces of a reply that has begun, in ms. */
  readonly silenceMs: number
  /** What all whole replies that are being read may have together. */
  readonly heldBytes: ByteBudget
}
