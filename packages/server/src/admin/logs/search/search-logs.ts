// Searches entries for words, newest first, for at most a fifth of a second, as someone may read them.
import {
  defaultSearchPage,
  type SearchHit,
  type SearchQuery,
  type SearchReply,
} from '@fairgate/contracts/console/search.ts'
import Type from 'typebox'
import type { Directory } from '../../../directory/create-directory.ts'
import { placeNumber, placeText, readPlace, writePlace } from '../../../directory/pages.ts'
import { parseOpenRange } from '../../../directory/parse-times.ts'
import type { Logbook } from '../../../logbook/open-logbook.ts'
import { formatMicroseconds } from '../../../logbook/parse-instant.ts'
import type { TeamPosition } from '../../../store/statements/read-newest-entries.ts'
import type { EntriesSearched } from '../../../store/statements/search-entries.ts'
import type { World } from '../../../world/world.ts'
import { matchEntry } from './match-entry.ts'
import { buildPattern, buildStudentPattern, parseSearch } from './parse-search.ts'

/** A page with few hits ends after this time and reports it; a step may take it a tenth of a second further. The console goes on by itself. */
const longestMs = 150

type Hit = {
  /** As the searcher knows it. */
  readonly team: string
  readonly sessionId: string | null
  readonly tool: string | null
  readonly hit: SearchHit
}

/** How the searcher sees teams. */
export type SearchView = {
  /** The team in replies; null for a team that the searcher must not know of. */
  readonly refOf: (teamId: string) => string | null
  /** The team of a place that `refOf` has written. */
  readonly findTeam: (ref: string) => string | null
  /** An entry as the searcher may read it. It must match as such: nobody can search for what is hidden. */
  readonly coverEntry: (teamId: string, entry: object) => object
  /** False: how far a page gets must not depend on entries that only match what is hidden. */
  readonly showsAll: boolean
}

/** For organisers. */
export const openView: SearchView = {
  refOf: teamId => teamId,
  findTeam: ref => ref,
  coverEntry: (_teamId, entry) => entry,
  showsAll: true,
}

export type SearchDependencies = Pick<World, 'clock'> & {
  readonly entries: Pick<Logbook['entries'], 'search'>
  readonly directory: Pick<Directory, 'findMember' | 'logTokens'>
}

/** `hasLeft`: true when the client has left. Throws ApiError `invalid_request`. Rejects with StoreUnavailable. */
export async function searchLogs(
  query: Omit<SearchQuery, 'team_id'>,
  teamId: string | null,
  hasLeft: () => boolean,
  { entries, directory, clock }: SearchDependencies,
  view: SearchView,
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
    place = { atMicros, seq, teamId: behind === null ? null : view.findTeam(behind) }
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
      maxRows: view.showsAll ? limit - hits.length : Number.MAX_SAFE_INTEGER,
    })
    searched.entries += part.entries
    searched.bytes += part.bytes
    place = part.end
    for (const row of part.rows) {
      const found = judgeRow(row, search, person.student, view)
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
    next: place === null ? null : writePlace([place.atMicros, place.seq, refOfPlace(place, view)]),
  }
}

const refOfPlace = ({ teamId }: TeamPosition, { refOf }: SearchView) =>
  teamId === null ? null : refOf(teamId)

function readPerson(person: string | undefined, directory: SearchDependencies['directory']) {
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
  { refOf, coverEntry }: SearchView,
): Hit | null {
  const team = refOf(row.teamId)
  if (team === null) return null
  const entry: Readonly<Record<string, unknown>> = Object(coverEntry(row.teamId, JSON.parse(row.body)))
  if (student !== null && String(entry.student).toLowerCase() !== student) return null
  const match = matchEntry(entry, search)
  if (match === null) return null
  return {
    team,
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
  const groups = Map.groupBy(hits, ({ team, sessionId }) => JSON.stringify([team, sessionId]))
  return [...groups.values()].flatMap(group => {
    const [newest] = group
    if (newest === undefined) return []
    const { team, sessionId, tool } = newest
    return [{ team_id: team, session_id: sessionId, tool, hits: group.map(({ hit }) => hit) }]
  })
}

const searchPlace = Type.Tuple([placeNumber, placeNumber, Type.Union([placeText, Type.Null()])])
