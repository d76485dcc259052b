// Reads the logbook for organisers: pages (newest first), single entries, and the feed (in the order of numbers), each entry as stored.
import { defaultPageSize, maximumPageBytes, maximumPageSize } from '@fairgate/contracts/logbook/limits.ts'
import type { EntryRow } from '../../store/statements/list-entries.ts'
import type { SearchEntriesInput } from '../../store/statements/search-entries.ts'
import type { Store } from '../../store/store.ts'
import { buildFilterKeys, type FilterQuery } from '../filter-keys.ts'
import { formatMicroseconds } from '../parse-instant.ts'
import { formatTeamCursor, parseTeamBefore } from './cursor.ts'
import type { PaceReads } from './pace-reads.ts'

export type PageQuery = FilterQuery & { readonly limit?: number; readonly before?: string }

/** One stored entry; `body` is its JSON text, byte for byte. */
export type LogbookEntry = {
  readonly teamId: string
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
  /** Arrived after the event had locked the board, while entries from before the lock were still accepted. */
  readonly isLate: boolean
  readonly body: string
}

/** The numbers of a team that a feed returns: above `afterSeq`, up to and including `throughSeq`. */
export type FeedRange = { readonly teamId: string; readonly afterSeq: number; readonly throughSeq: number }

export type SearchQuery = FilterQuery &
  Omit<SearchEntriesInput, 'toolKey' | 'eventKey' | 'maxEntries' | 'maxBytes'>

export type EntriesReaderDependencies = {
  readonly read: Pick<
    Store['read'],
    'readNewestEntries' | 'readEntriesBetween' | 'findEntry' | 'searchEntries'
  >
  /** Shared by all feeds and searches. */
  readonly pace: PaceReads
}

/**
 * Rows per feed step. A step is one short read: teams' pages and, on PostgreSQL, the writers' connections wait for at most one step, and
 * only one is in memory. With a filter a step covers more numbers, because few of them may match.
 */
const stepRows = 200
const stepBytes = 512 * 1024
const filteredStepNumbers = 2000
/** Entries per search step: some ten milliseconds of the thread for long reads, so that a page ends soon after its time. */
const searchedEntries = 500
const searchedBytes = 1024 * 1024

/** The logbook as organisers read it. */
export type EntriesReading = ReturnType<typeof createEntriesReader>

export function createEntriesReader({ read, pace }: EntriesReaderDependencies) {
  /** Entries of one team, or of all if `teamId` is null. Throws ApiError `invalid_request` if `before` is not a time. */
  async function readPage(
    teamId: string | null,
    query: PageQuery,
  ): Promise<{ readonly entries: readonly LogbookEntry[]; readonly nextBefore: string | null }> {
    const { limit = defaultPageSize, before = '' } = query
    const bounds = { limit: Math.min(limit, maximumPageSize), maximumBytes: maximumPageBytes }
    const place = { teamId, before: parseTeamBefore(before) }
    const { rows, hasMore } = await read.readNewestEntries({ ...bounds, ...buildFilterKeys(query), ...place })
    const last = rows.at(-1)
    return {
      entries: rows.map(row => describeEntry(row.teamId, row)),
      nextBefore: hasMore && last !== undefined ? formatTeamCursor(last) : null,
    }
  }

  /** `reference`: the number of the entry, or its id. Null if the team has no such entry. */
  async function findEntry(teamId: string, reference: string): Promise<LogbookEntry | null> {
    const isNumber = /^\d{1,15}$/.test(reference)
    const row = await read.findEntry(
      isNumber ? { teamId, seq: Number(reference) } : { teamId, identity: reference },
    )
    return row === null ? null : describeEntry(teamId, row)
  }

  /** Yields each range in turn, ordered by number. The next step is read on demand. */
  async function* readFeed(
    ranges: readonly FeedRange[],
    filter: FilterQuery,
  ): AsyncGenerator<readonly LogbookEntry[], void> {
    const keys = buildFilterKeys(filter)
    const isFiltered = keys.toolKey !== null || keys.eventKey !== null
    const stepNumbers = isFiltered ? filteredStepNumbers : stepRows
    for (const { teamId, afterSeq, throughSeq } of ranges) {
      for (let after = afterSeq; after < throughSeq; ) {
        const through = Math.min(throughSeq, after + stepNumbers)
        const range = { teamId, afterSeq: after, throughSeq: through }
        const bounds = { limit: stepRows, maximumBytes: stepBytes }
        const { rows, hasMore } = await pace(() => read.readEntriesBetween({ ...range, ...bounds, ...keys }))
        after = hasMore ? (rows.at(-1)?.seq ?? through) : through
        yield rows.map(row => describeEntry(teamId, row))
      }
    }
  }

  /** Runs one step of a search, in its turn. */
  function search(query: SearchQuery) {
    const { event: _, tool: __, ...step } = query
    const bounds = { maxEntries: searchedEntries, maxBytes: searchedBytes }
    return pace(() => read.searchEntries({ ...step, ...buildFilterKeys(query), ...bounds }))
  }

  return Object.freeze({ readPage, findEntry, readFeed, search })
}

function describeEntry(
  teamId: string,
  row: Omit<EntryRow, 'toolKey' | 'eventKey' | 'bodyBytes'>,
): LogbookEntry {
  return {
    teamId,
    seq: row.seq,
    id: row.identity,
    ts: formatMicroseconds(row.tsMicros),
    receivedAt: formatMicroseconds(row.receivedMicros),
    chain: row.chain,
    tokenId: row.tokenId,
    clientAddress: row.clientAddress,
    isLate: row.late === 1,
    body: row.body,
  }
}
