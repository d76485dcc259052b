// GET /sessions: the sessions of one team or of all teams, as the coverage matches them from logs and calls.
import {
  type SessionRow,
  type SessionsQuery,
  sessionsQuerySchema,
  sessionsReplySchema,
} from '@fairgate/contracts/console/sessions.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { Directory } from '../../directory/create-directory.ts'
import { parseRange } from '../../directory/parse-times.ts'
import { refuseValue, requireTeam } from '../../directory/refusals.ts'
import { listMembers } from '../../insight/list-members.ts'
import {
  type ListedSession,
  listAllSessions,
  listSessionsOf,
  pageSessions,
  type SessionList,
  shareOf,
  writeFirstPrompt,
} from '../../insight/list-sessions.ts'
import { type AdminRoute, lookupRoute, type Management } from '../management-route.ts'

export function sessionsRoute(management: Management): AdminRoute {
  const { directory } = management
  return lookupRoute({
    tag: 'Overview',
    openTo: 'judges',
    path: '/sessions',
    summary: "List the sessions of a team's tools, or of all teams",
    description:
      'Matched as in `GET /coverage`, from entries that have arrived by `as_of`. A session without entries is one that only calls name. ' +
      'Calls that may belong to more than one session are counted in none. Without `team_id` the figures of a team are at most 15 minutes old. Teams that ' +
      'have not been read lately take some tenths of a second each: `pending` says how many are not in the list yet, and each request reads at least one of them.',
    query: sessionsQuerySchema,
    reply: sessionsReplySchema,
    errors: ['invalid_request', 'team_not_found', 'unavailable'],
    isStrict: true,
    keepsOpen: true,
    look: async (query, { signal: client }) => {
      const found = await readList(management, query, client)
      const { page, next, total } = pageSessions(
        found,
        query,
        nameSession,
        createPersonFilter(query, directory),
      )
      const { pending, leftOut } = found
      return {
        as_of: isoTime(found.asOf),
        version: directory.version(),
        items: page.map(session => writeRow(session, directory)),
        next,
        pending,
        left_out: leftOut,
        total: { ...total, exact: pending + leftOut === 0 },
      }
    },
  })
}

/** Throws ApiError `invalid_request`, `team_not_found`. */
async function readList(
  management: Management,
  query: SessionsQuery,
  client: AbortSignal,
): Promise<SessionList> {
  const { directory } = management
  const { team_id: named, from, until } = query
  if (named !== undefined) {
    const { teamId } = requireTeam(directory, named)
    return await listSessionsOf(management, teamId, parseRange(query), client)
  }
  if (from !== undefined || until !== undefined)
    throw refuseValue('team_id', 'set it to list the sessions of a range of time.')
  const teams = directory.teams().map(({ teamId }) => teamId)
  return await listAllSessions(management, teams, client)
}

const nameSession = ({ teamId, key }: ListedSession) => `${teamId} ${key}`

function createPersonFilter(
  { person }: SessionsQuery,
  directory: Pick<Directory, 'findLogTokenById' | 'findMember'>,
): (session: ListedSession) => boolean {
  if (person === undefined) return () => true
  if (directory.findMember(person) !== undefined)
    return ({ tokenIds }) => listMembers(tokenIds, directory).some(({ member_id }) => member_id === person)
  const address = person.toLowerCase()
  return ({ students }) => students.some(student => student.toLowerCase() === address)
}

function writeRow(
  session: ListedSession,
  directory: Pick<Directory, 'findLogTokenById' | 'findMember'>,
): SessionRow {
  const { tool, repo, branch, prompts, late, entries, calls } = session
  return {
    team_id: session.teamId,
    session_id: session.id,
    tool,
    first_at: isoTime(session.firstAt),
    last_at: isoTime(session.lastAt),
    students: [...session.students],
    members: listMembers(session.tokenIds, directory),
    ...{ repo, branch },
    first_prompt: writeFirstPrompt(session.firstPrompt),
    ...{ prompts, late, entries, calls },
    cost_nano: session.cost,
    coverage: shareOf(session),
    active_ms: session.activeMs,
  }
}
