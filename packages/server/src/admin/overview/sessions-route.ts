// GET /sessions: the sessions of a team's tools, as the coverage matches them from its log and its calls.
import {
  defaultSessionsPage,
  type SessionRow,
  type SessionsQuery,
  type SessionsReply,
  sessionsQuerySchema,
  sessionsReplySchema,
} from '@fairgate/contracts/console/sessions.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import Type from 'typebox'
import { placeText, readPlace, writePlace } from '../../directory/pages.ts'
import { parseRange } from '../../directory/parse-times.ts'
import { requireTeam } from '../../directory/refusals.ts'
import { listMembers } from '../../insight/list-members.ts'
import { type CoverageRange, sessionOf, type TeamCoverage } from '../../record/coverage-reader.ts'
import type { SessionRecord } from '../../record/session-book.ts'
import { type AdminRoute, lookupRoute, type Management } from '../management-route.ts'

export function sessionsRoute({ coverage, directory }: Management): AdminRoute {
  return lookupRoute({
    tag: 'Overview',
    openTo: 'judges',
    path: '/sessions',
    summary: "List the sessions of a team's tools",
    description:
      'Matched as in `GET /coverage`, from entries that have arrived by `as_of`. A session without entries is one that only calls name. ' +
      'Calls that may belong to more than one session are counted in none.',
    query: sessionsQuerySchema,
    reply: sessionsReplySchema,
    errors: ['invalid_request', 'team_not_found', 'unavailable'],
    isStrict: true,
    keepsOpen: true,
    look: async (query, { signal: client }) => {
      const { teamId } = requireTeam(directory, query.team_id)
      const range = parseRange(query)
      const found = await coverage.read(teamId, range, client)
      const book = await coverage.readBook(teamId)
      const { items, ...page } = pageSessions(found, range, query)
      return {
        as_of: isoTime(found.asOf),
        version: directory.version(),
        items: items.map(({ key, ...session }) => ({
          ...session,
          ...describeWriters(book.find(key), directory),
        })),
        ...page,
      }
    },
  })
}

/** Describes a session's people and repository from its entries. */
function describeWriters(
  record: SessionRecord | null,
  directory: Parameters<typeof listMembers>[1],
): Pick<SessionRow, 'students' | 'members' | 'repo' | 'branch' | 'prompts' | 'late'> {
  return {
    students: [...(record?.students ?? [])],
    members: listMembers(record?.tokenIds ?? [], directory),
    repo: record?.repo ?? null,
    branch: record?.branch ?? null,
    prompts: record?.prompts ?? 0,
    late: record?.late ?? 0,
  }
}

const sessionPlace = Type.Tuple([Type.Number(), placeText])

type Counted = Omit<SessionRow, keyof ReturnType<typeof describeWriters>>

type Session = Omit<Counted, 'first_at' | 'last_at'> & {
  readonly key: string
  /** Unix ms. */
  readonly firstAt: number
  readonly lastAt: number
}

/** Throws ApiError `invalid_request`. */
function pageSessions(
  coverage: TeamCoverage,
  range: CoverageRange,
  query: SessionsQuery,
): Pick<SessionsReply, 'next' | 'total'> & {
  readonly items: readonly (Counted & { readonly key: string })[]
} {
  const { tool, logged, limit = defaultSessionsPage, after } = query
  const sessions = listSessions(coverage, range)
    .filter(session => tool === undefined || session.tool === tool)
    .filter(({ entries }) => logged === undefined || entries > 0 === logged)
    .sort((left, right) => right.lastAt - left.lastAt || (left.key < right.key ? -1 : 1))
  const [endAt, endKey] =
    after === undefined ? [Number.POSITIVE_INFINITY, ''] : readPlace(sessionPlace, after)
  const behind = sessions.filter(({ lastAt, key }) => lastAt < endAt || (lastAt === endAt && key > endKey))
  const page = behind.slice(0, limit)
  const last = page.at(-1)
  const sum = (read: (session: Session) => number) => sessions.reduce((total, one) => total + read(one), 0)
  return {
    items: page.map(({ firstAt, lastAt, ...session }) => ({
      ...session,
      first_at: isoTime(firstAt),
      last_at: isoTime(lastAt),
    })),
    next: last !== undefined && behind.length > limit ? writePlace([last.lastAt, last.key]) : null,
    total: {
      count: sessions.length,
      entries: sum(({ entries }) => entries),
      calls: sum(({ calls }) => calls),
      cost_nano: sum(({ cost_nano }) => cost_nano),
      exact: true,
    },
  }
}

/** Lists the sessions of the log with the calls that belong only to them, and sessions that only calls name. */
function listSessions({ teamId, logged, calls }: TeamCoverage, { from, until }: CoverageRange): Session[] {
  const sessions = new Map<string, Session>()
  for (const { key, id, tool, firstAt, lastAt, entries } of logged) {
    if (firstAt >= until || lastAt < from) continue
    const figures = { entries, calls: 0, cost_nano: 0 }
    sessions.set(key, { key, team_id: teamId, session_id: id, tool, firstAt, lastAt, ...figures })
  }
  for (const judged of calls) {
    const { tool, sessionId, cost, receivedAt, endedAt } = judged.call
    const key = sessionOf(judged)
    if (key === null) continue
    const known = sessions.get(key)
    // A logged session outside the range stays outside.
    if (known === undefined && judged.sessions.length > 0) continue
    sessions.set(key, {
      key,
      team_id: teamId,
      session_id: known?.session_id ?? sessionId ?? '',
      tool: known?.tool ?? tool,
      firstAt: Math.min(known?.firstAt ?? receivedAt, receivedAt),
      lastAt: Math.max(known?.lastAt ?? endedAt, endedAt),
      entries: known?.entries ?? 0,
      calls: (known?.calls ?? 0) + 1,
      cost_nano: (known?.cost_nano ?? 0) + cost,
    })
  }
  return [...sessions.values()]
}
