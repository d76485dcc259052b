// Lists the sessions of one team or of many: filtered, in one order, page by page. Shared by organisers and judges.
import { createHash } from 'node:crypto'
import { defaultSessionsPage, type SessionsQuery } from '@fairgate/contracts/console/sessions.ts'
import Type from 'typebox'
import { placeText, readPlace, writePlace } from '../directory/pages.ts'
import type { CoverageRange, CoverageReader } from '../record/coverage-reader.ts'
import { digestSessions, type SessionDigest } from '../record/digest-sessions.ts'
import type { KeptCoverage } from '../record/kept-coverage.ts'
import { shownPromptLength, sparePromptLength } from '../record/session-book.ts'
import type { World } from '../world/world.ts'

export type ListedSession = SessionDigest & { readonly teamId: string }

export type SessionList = {
  readonly sessions: readonly ListedSession[]
  /** Unix ms: when the oldest part of it was read. */
  readonly asOf: number
  /** Teams that were not read yet. */
  readonly pending: number
  /** Sessions that are not in it, because their team has too many. */
  readonly leftOut: number
}

export type SessionListDependencies = Pick<World, 'clock'> & {
  readonly coverage: Pick<CoverageReader, 'read' | 'readBook'>
  readonly recent: { readonly coverage: Pick<KeptCoverage, 'read' | 'sessionsOf'> }
}

/** A request reads teams for this long; one takes some 0.2 s, so most often it is the only one. */
const longestMs = 50

/** As of now. `client`: aborts when the client has left, which ends the reading. Rejects with StoreUnavailable. */
export async function listSessionsOf(
  { coverage }: SessionListDependencies,
  teamId: string,
  range: CoverageRange,
  client: AbortSignal,
): Promise<SessionList> {
  const found = await coverage.read(teamId, range, client)
  const sessions = digestSessions(found, await coverage.readBook(teamId), range)
  return {
    sessions: sessions.map(session => ({ ...session, teamId })),
    asOf: found.asOf,
    pending: 0,
    leftOut: 0,
  }
}

/**
 * All that is known of these teams, at most a quarter of an hour old. Teams that are not known are read, one after the other and for a
 * short time, so that repeated requests complete the list. Rejects with StoreUnavailable.
 */
export async function listAllSessions(
  { recent: { coverage }, clock }: SessionListDependencies,
  teamIds: readonly string[],
  client: AbortSignal,
): Promise<SessionList> {
  const begunAt = clock()
  let count = 0
  for (const teamId of teamIds) {
    if (coverage.sessionsOf(teamId) !== null) continue
    if (count > 0 && clock() - begunAt >= longestMs) break
    await coverage.read(teamId, client)
    count += 1
  }
  const sessions: ListedSession[] = []
  let [asOf, pending, leftOut] = [clock(), 0, 0]
  for (const teamId of teamIds) {
    const known = coverage.sessionsOf(teamId)
    if (known === null) {
      pending += 1
      continue
    }
    for (const session of known.sessions) sessions.push({ ...session, teamId })
    asOf = Math.min(asOf, known.asOf)
    leftOut += known.leftOut
  }
  return { sessions, asOf, pending, leftOut }
}

const sessionPlace = Type.Tuple([Type.Number(), placeText])

type PageQuery = Pick<SessionsQuery, 'tool' | 'logged' | 'min_cost_nano' | 'sort' | 'limit' | 'after'>

export type SessionsPage = {
  readonly page: readonly ListedSession[]
  readonly next: string | null
  /** Of all pages. */
  readonly total: { count: number; entries: number; calls: number; cost_nano: number }
}

/**
 * `nameOf`: a name of the session among all, for the end of a page. `isWanted`: filters besides those of the query. Throws ApiError
 * `invalid_request`.
 */
export function pageSessions(
  { sessions }: Pick<SessionList, 'sessions'>,
  query: PageQuery,
  nameOf: (session: ListedSession) => string,
  isWanted: (session: ListedSession) => boolean = () => true,
): SessionsPage {
  const {
    tool,
    logged,
    min_cost_nano: minCost = 0,
    sort = 'newest',
    limit = defaultSessionsPage,
    after,
  } = query
  const [endValue, endName] = after === undefined ? [null, ''] : readPlace(sessionPlace, after)
  const readValue = sortValues[sort]
  const placed = sessions
    .filter(session => tool === undefined || session.tool === tool)
    .filter(({ entries }) => logged === undefined || entries > 0 === logged)
    .filter(session => session.cost >= minCost && isWanted(session))
    .map(session => ({ session, value: readValue(session), name: shorten(nameOf(session)) }))
    .sort((left, right) => right.value - left.value || (left.name < right.name ? -1 : 1))
  const behind = placed.filter(
    ({ value, name }) => endValue === null || value < endValue || (value === endValue && name > endName),
  )
  const page = behind.slice(0, limit)
  const last = page.at(-1)
  const sum = (read: (session: ListedSession) => number) =>
    placed.reduce((total, { session }) => total + read(session), 0)
  return {
    page: page.map(({ session }) => session),
    next: last !== undefined && behind.length > limit ? writePlace([last.value, last.name]) : null,
    total: {
      count: placed.length,
      entries: sum(({ entries }) => entries),
      calls: sum(({ calls }) => calls),
      cost_nano: sum(({ cost }) => cost),
    },
  }
}

/** A place must fit into an address, even with an id that someone made up. */
function shorten(name: string): string {
  return Buffer.byteLength(name) <= 500 ? name : createHash('sha256').update(name).digest('hex')
}

const sortValues: Readonly<Record<NonNullable<PageQuery['sort']>, (session: SessionDigest) => number>> = {
  newest: ({ lastAt }) => lastAt,
  dearest: ({ cost }) => cost,
  longest: ({ activeMs }) => activeMs,
}

/**
 * Beginning of a session's first prompt. `cover` replaces names in it: those at the end of what is known of the prompt may be cut and stay,
 * so that much of it is left out.
 */
export function writeFirstPrompt(
  firstPrompt: string | null,
  cover: (text: string) => string = text => text,
): string | null {
  if (firstPrompt === null) return null
  const isCut = [...firstPrompt].length >= shownPromptLength + sparePromptLength
  const covered = [...cover(firstPrompt)]
  const end = isCut ? covered.length - sparePromptLength : covered.length
  return covered.slice(0, Math.min(end, shownPromptLength)).join('')
}

/** Share of the cost that the log covers, rounded down; null if nothing was spent. */
export function shareOf({ cost, coveredCost }: Pick<SessionDigest, 'cost' | 'coveredCost'>): number | null {
  return cost === 0 ? null : Math.floor((coveredCost / cost) * 10_000) / 10_000
}
