// Reads a team's own log for its page: entries newest first, and the items of one session, as organisers see them.
import {
  defaultEntriesPage,
  type SelfEntries,
  type SelfEntriesQuery,
} from '@fairgate/contracts/console/self.ts'
import type { SessionEntry, SessionItemsQuery } from '@fairgate/contracts/console/session-view.ts'
import { nextOfPageBefore } from '../directory/pages.ts'
import { refuseValue } from '../directory/refusals.ts'
import { SessionReader, type SessionReaderDependencies } from '../insight/session-reader.ts'
import { buildEventKey, buildFilterKeys } from '../logbook/filter-keys.ts'
import { formatTeamCursor, parseTeamBefore } from '../logbook/list-entries/cursor.ts'
import type { EntryRow } from '../store/statements/list-entries.ts'
import type { Store } from '../store/store.ts'

export type OwnEntriesDependencies = SessionReaderDependencies & {
  readonly read: Pick<Store['read'], 'readNewestEntries'>
}

export type OwnEntries = ReturnType<typeof createOwnEntries>

type Page = Pick<SelfEntries, 'items' | 'next'>

/** Max size of one page's entries as stored. */
const maxPageBytes = 1024 * 1024
/** Max entries of a session that a filtered page examines. */
const maxLookedAt = 500

export function createOwnEntries(dependencies: OwnEntriesDependencies) {
  const { read, coverage } = dependencies
  const sessions = new SessionReader(dependencies)
  const write = async (teamId: string, rows: readonly EntryRow[]): Promise<SessionEntry[]> => {
    const book = await coverage.readBook(teamId)
    return rows.flatMap(row => sessions.writeEntryItem(teamId, row, book).entry ?? [])
  }

  const readAll = async (teamId: string, query: SelfEntriesQuery): Promise<Page> => {
    const { limit = defaultEntriesPage, after = '' } = query
    const { rows, hasMore } = await read.readNewestEntries({
      teamId,
      limit,
      maximumBytes: maxPageBytes,
      before: readPlace(after),
      ...buildFilterKeys(query),
    })
    const last = rows.at(-1)
    return {
      items: await write(teamId, rows),
      next: hasMore && last !== undefined ? formatTeamCursor(last) : null,
    }
  }

  const readOfSession = async (
    teamId: string,
    sessionId: string,
    { limit = defaultEntriesPage, after, event = '', tool = '' }: SelfEntriesQuery,
  ): Promise<Page> => {
    const { record } = await sessions.find(teamId, sessionId, tool === '' ? undefined : tool, 'recent')
    const numbers = (record?.places ?? []).map(({ seq }) => seq).reverse()
    const start = after === undefined ? 0 : numbers.indexOf(Number(after)) + 1
    if (after !== undefined && start === 0) throw refusePlace()
    const looked = numbers.slice(start, start + (event === '' ? limit : maxLookedAt))
    const rows = await read.readNumberedEntries({ teamId, numbers: looked, maximumBytes: maxPageBytes })
    const eventKey = event === '' ? null : buildEventKey(event)
    const fitting = rows.filter(row => eventKey === null || row.eventKey === eventKey)
    const page = fitting.slice(0, limit)
    // A full page ends with its last entry, any other with the last one examined.
    const last = (page.length === limit ? page : rows).at(-1)?.seq
    return {
      items: await write(teamId, page),
      next: last === undefined || last === numbers.at(-1) ? null : String(last),
    }
  }

  return {
    /** Newest first. Throws ApiError `invalid_request`, `session_not_found`. */
    readEntries: (teamId: string, query: SelfEntriesQuery): Promise<Page> => {
      const { session_id: sessionId = '' } = query
      return sessionId === '' ? readAll(teamId, query) : readOfSession(teamId, sessionId, query)
    },
    /** Throws ApiError `invalid_request`, `session_not_found`, `entry_not_found`. */
    readItems: (teamId: string, sessionId: string, query: SessionItemsQuery) =>
      sessions.readItems(teamId, sessionId, query),
  }
}

function readPlace(after: string) {
  try {
    return parseTeamBefore(after)
  } catch {
    throw refusePlace()
  }
}

function refusePlace() {
  return refuseValue('after', nextOfPageBefore)
}
