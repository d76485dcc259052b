// What the admin door needs of the logbook to show the entries to organisers.

/** One stored entry; `body` is its JSON text, byte for byte. */
export type LogbookEntry = {
  readonly teamId: string
  /** 1, 2, 3, … within the team. */
  readonly seq: number
  /** SHA-256 of the canonical JSON of the entry as sent. */
  readonly id: string
  /** Time of the event in UTC, in microseconds. */
  readonly ts: string
  readonly receivedAt: string
  readonly chain: string
  /** Of the log token that sent it; null for entries from before it was kept. */
  readonly tokenId: string | null
  readonly clientAddress: string | null
  readonly body: string
}

type Filter = { readonly event?: string; readonly tool?: string }

/** The numbers of a team that a feed brings: above `afterSeq`, up to and including `throughSeq`. */
export type FeedRange = { readonly teamId: string; readonly afterSeq: number; readonly throughSeq: number }

export type EntriesReading = {
  /** Newest first; all teams for null. Throws ApiError `invalid_request` for a `before` that is no place. */
  readonly readPage: (
    teamId: string | null,
    query: Filter & { readonly limit?: number; readonly before?: string },
  ) => Promise<{ readonly entries: readonly LogbookEntry[]; readonly nextBefore: string | null }>
  /** By number or id; null when the team has no such entry. */
  readonly findEntry: (teamId: string, reference: string) => Promise<LogbookEntry | null>
  /** Brings the entries in steps, some of them empty. Each step is read when it is asked for. */
  readonly readFeed: (
    ranges: readonly FeedRange[],
    filter: Filter,
  ) => AsyncGenerator<readonly LogbookEntry[], void>
}
