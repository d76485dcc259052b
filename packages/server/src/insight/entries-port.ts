// What the pages of people need of the logbook to show its entries.

import type { FeedRange, LogbookEntry } from '../logbook/list-entries/create-entries-reader.ts'

export type { FeedRange, LogbookEntry }

type Filter = { readonly event?: string; readonly tool?: string }

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
