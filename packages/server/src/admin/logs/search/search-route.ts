// GET /logs/search: entries that contain some words, newest first. It searches for at most a fifth of a second, and reports how far it got.
import {
  defaultSearchPage,
  type SearchHit,
  type SearchQuery,
  type SearchReply,
  searchQuerySchema,
  searchReplySchema,
} from '@fairgate/contracts/console/search.ts'
import Type from 'typebox'
import { placeNumber, placeText, readPlace, writePlace } from '../../../directory/pages.ts'
import { parseOpenRange } from '../../../directory/parse-times.ts'
import { requireTeam } from '../../../directory/refusals.ts'
import { formatMicroseconds } from '../../../logbook/parse-instant.ts'
import type { TeamPosition } from '../../../store/statements/read-newest-entries.ts'
import type { EntriesSearched } from '../../../store/statements/search-entries.ts'
import { type AdminRoute, lookupRoute, type Management } from '../../management-route.ts'
import { matchEntry } from './match-entry.ts'
import { buildPattern, buildStudentPattern, parseSearch } from './parse-search.ts'

/** A page with few hits ends after this time and reports it; a step may take it a tenth of a second further. The console goes on by itself. */
const longestMs = 150

export function searchLogsRoute(management: Management): AdminRoute {
  return lookupRoute({
    tag: 'Logs',
    openTo: 'judges',
    path: '/logs/search',
    summary: 'Search for entries that contain some words, newest first',
    description:
      'Searches the texts of the entries themselves, newest first by their own times (by receipt for one dated after it), for about a fifth of a second: with rare words a page may be short or empty, and ' +
      '`searched_to` says how far it got. Continue with `next` until it is null. `q` has the same meaning for all teams and database engines.',
    query: searchQuerySchema,
    reply: searchReplySchema,
    errors: ['invalid_request', 'team_not_found', 'unavailable'],
    isStrict: true,
    keepsOpen: true,
    look: async (query, { request: { signal } }) => {
      const { team_id: named } = query
      const teamId = named === undefined ? null : requireTeam(management.directory, named).teamId
      const found = await searchLogs(query, teamId, () => signal.aborted, management)
      return { ...management.moment(), ...found }
    },
  })
}

type Hit = {
  readonly teamId: string
  readonly sessionId: string | null
  readonly tool: string | null
  readonly hit: SearchHit
}

async function searchLogs(
  query: SearchQuery,
  teamId: string | null,
  hasLeft: () => boolean,
  { entries, directory, clock }: Management,
): Promise<Omit<SearchReply, 'as_of' | 'version'>> {
  const { limit = defaultSearchPage, event, tool } = query
  const search = parseSearch(query.q)
  const { from, until } = parseOpenRange(query)
  const person = readPerson(query.person, directory)
  const patterns = [...search.wanted.map(({ text }) => buildPattern(text)), ...person.patterns]
  const startedAt = clock()
  const hits: Hit[] = []
  const searched = { entries: 0, bytes: 0 }
  // Numbers begin at 1, so nothing in this microsecond comes after number 0.
  let place: TeamPosition | null = until === null ? null : { atMicros: until * 1000, seq: 0, teamId: null }
  if (query.after !== undefined) {
    const [atMicros, seq, behind] = readPlace(searchPlace, query.after)
    place = { atMicros, seq, teamId: behind }
  }
  for (;;) {
    const part: EntriesSearched = await entries.search({
      teamId,
      ...(event === undefined ? {} : { event }),
      ...(tool === undefined ? {} : { tool }),
      before: place,
      fromMicros: from === null ? null : from * 1000,
      patterns,
      tokenIds: person.tokenIds,
      maxRows: limit - hits.length,
    })
    searched.entries += part.entries
    searched.bytes += part.bytes
    place = part.end
    for (const row of part.rows) {
      const found = judgeRow(row, search, person.student)
      if (found === null) continue
      hits.push(found)
      if (hits.length < limit) continue
      // The next page searches the rest of this step again.
      if (row !== part.rows.at(-1)) place = row
      break
    }
    if (place === null || hits.length >= limit || clock() - startedAt >= longestMs || hasLeft()) break
  }
  return {
    items: groupHits(hits),
    hits: hits.length,
    searched,
    searched_to: place === null ? null : formatMicroseconds(place.atMicros),
    next: place === null ? null : writePlace([place.atMicros, place.seq, place.teamId]),
  }
}

function readPerson(person: string | undefined, directory: Management['directory']) {
  if (person === undefined) return { tokenIds: null, student: null, patterns: [] }
  if (directory.findMember(person) === undefined)
    return {
      tokenIds: null,
      student: person.toLowerCase(),
      patterns: [buildStudentPattern(person)],
    }
  const tokens = directory.logTokens().filter(({ memberId }) => memberId === person)
  return { tokenIds: tokens.map(({ tokenId }) => tokenId), student: null, patterns: [] }
}

function judgeRow(
  row: EntriesSearched['rows'][number],
  search: ReturnType<typeof parseSearch>,
  student: string | null,
): Hit | null {
  const entry: Readonly<Record<string, unknown>> = JSON.parse(row.body)
  if (student !== null && String(entry.student).toLowerCase() !== student) return null
  const match = matchEntry(entry, search)
  if (match === null) return null
  return {
    teamId: row.teamId,
    sessionId: textOrNull(entry.session_id),
    tool: textOrNull(entry.tool),
    hit: {
      seq: row.seq,
      ts: formatMicroseconds(row.tsMicros),
      received_at: formatMicroseconds(row.receivedMicros),
      event: textOrNull(entry.event),
      ...match,
    },
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** Groups by team and session, in order of each group's newest hit. */
function groupHits(hits: readonly Hit[]): SearchReply['items'] {
  const groups = Map.groupBy(hits, ({ teamId, sessionId }) => JSON.stringify([teamId, sessionId]))
  return [...groups.values()].flatMap(group => {
    const [newest] = group
    if (newest === undefined) return []
    const { teamId, sessionId, tool } = newest
    return [{ team_id: teamId, session_id: sessionId, tool, hits: group.map(({ hit }) => hit) }]
  })
}

const searchPlace = Type.Tuple([placeNumber, placeNumber, Type.Union([placeText, Type.Null()])])
