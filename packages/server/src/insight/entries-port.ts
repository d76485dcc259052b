// What the pages of people need of the logbook to show its entries.

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
  /** The id of the log token that sent it. */
  readonly tokenId: string
  readonly clientAddress: string | null
  /** Came after the event had locked the board, while it still took what happened before. */
  readonly isLate: boolean
  readonly body: string
}

type Filter = { readonly event?: string; readonly tool?: string }

/** The numbers of a team that a feed brings: above `afterSeq`, up to and including `throughSeq`. */
export type FeedRange = { readonly teamId: string; readonly afterSeq: number; readonly throughSeq: number }

/** A place in the order (time descending, number descending, team ascending): what comes behind it is still to be searched. */
export type SearchPlace = { readonly atMicros: number; readonly seq: number; readonly teamId: string | null }

/** What one step of a search looks at. */
export type SearchStep = Filter & {
  /** Null for all teams. */
  readonly teamId: string | null
  readonly before: SearchPlace | null
  readonly fromMicros: number | null
  /** For SQL's `like` with `!` as its escape: the stored JSON must match all of them. */
  readonly patterns: readonly string[]
  /** Null for any. */
  readonly tokenIds: readonly string[] | null
  readonly mostRows: number
}

export type SearchedPart = {
  /** Newest first. */
  readonly rows: readonly {
    readonly teamId: string
    readonly seq: number
    readonly atMicros: number
    readonly tsMicros: number
    readonly receivedMicros: number
    readonly body: string
  }[]
  readonly entries: number
  readonly bytes: number
  /** The last entry that was looked at; null where nothing is left. */
  readonly end: SearchPlace | null
}

export type EntriesReading = {
  /** Newest first; all teams for null. Throws ApiError `invalid_request` for a `before` that is no place. */
  readonly readPage: (
    teamId: string | null,
    query: Filter & { readonly limit?: number; readonly before?: string },
  ) => Promise<{ readonly entries: readonly LogbookEntry[]; readonly nextBefore: string | null }>
  /** By number or id; null when the team has no such entry. */
  readonly findEntry: (teamId: string, reference: string) => Promise<LogbookEntry | null>
  /** Looks at a bounded number of entries, newest first. Rejects with StoreUnavailable. */
  readonly search: (step: SearchStep) => Promise<SearchedPart>
  /** Brings the entries in steps, some of them empty. Each step is read when it is asked for. */
  readonly readFeed: (
    ranges: readonly FeedRange[],
    filter: Filter,
  ) => AsyncGenerator<readonly LogbookEntry[], void>
}
