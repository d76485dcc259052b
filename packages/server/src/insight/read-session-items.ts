// Reads a page of a session, for organisers and for its own team alike: from any place, in both directions.
import {
  defaultItemsPage,
  type SessionItemsQuery,
  type SessionItemsReply,
} from '@fairgate/contracts/console/session-view.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { readStart, writePlace } from './session-pages.ts'
import type { SessionReader } from './session-reader.ts'

export type SessionPage = Omit<SessionItemsReply, 'version'>

/** Throws ApiError `invalid_request`, `session_not_found`, `entry_not_found`. Rejects with StoreUnavailable. */
export async function readSessionItems(
  sessions: Pick<SessionReader, 'find' | 'readAround' | 'readPage'>,
  teamId: string,
  sessionId: string,
  query: SessionItemsQuery,
): Promise<SessionPage> {
  const start = readStart(query)
  const { limit = defaultItemsPage, around = 0 } = query
  const session = await sessions.find(teamId, sessionId, query.tool, 'recent')
  const page = await (start === null
    ? sessions.readAround(session, around, limit)
    : sessions.readPage(session, start, limit))
  const last = page.items.at(-1)?.place
  return {
    as_of: isoTime(session.asOf),
    items: page.items.map(({ item }) => item),
    previous: page.earlier === null ? null : writePlace(page.earlier),
    next: page.later === null ? null : writePlace(page.later),
    last: last === undefined ? null : writePlace(last),
  }
}
