// How long an upstream may take, how much it may send, and how long it may be silent, before its reply is given up.

/** The kinds of calls to an upstream: each may have limits of its own. */
export type UpstreamEndpoint =
  | 'chat'
  | 'images'
  | 'speech'
  | 'music'
  | 'transcription'
  | 'embeddings'
  | 'videos'

/** Milliseconds from sending to the last byte, including retries. */
export type UpstreamTimeouts = Readonly<Record<UpstreamEndpoint, number>>

export type ReplyBounds = {
  /** Bytes of a whole reply. */
  readonly replyBytes: Readonly<Record<UpstreamEndpoint, number>>
  /** Bytes of a stream, from its first to its last. */
  readonly streamBytes: number
  /** Between two pieces of a reply that has started, in ms. */
  readonly silenceMs: number
  /** The total of all whole replies that are being read. */
  readonly heldBytes: ByteBudget
}

// Bytes that many calls may hold in memory together: a request for more than is left gets none.

export type ByteBudget = ReturnType<typeof createByteBudget>

export function createByteBudget(total: number) {
  let taken = 0
  let given = Promise.withResolvers<void>()
  return Object.freeze({
    /** False if that many are not left; nothing is taken then. */
    take: (bytes: number): boolean => {
      if (taken + bytes > total) return false
      taken += bytes
      return true
    },
    give: (bytes: number): void => {
      taken -= bytes
      if (bytes === 0) return
      given.resolve()
      given = Promise.withResolvers()
    },
    /** Resolves when something is returned next. */
    whenGiven: () => given.promise,
    /** Bytes in use. */
    taken: () => taken,
  })
}
