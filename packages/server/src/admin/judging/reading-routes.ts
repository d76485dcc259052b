// Routes on which a judge of the panel reads: the dossier of a team, the sessions of all judged teams, entries, and the search.

import { searchReplySchema } from '@fairgate/contracts/console/search.ts'
import {
  sessionItemsQuerySchema,
  sessionItemsReplySchema,
  sessionQuerySchema,
  sessionViewSchema,
  storedEntrySchema,
} from '@fairgate/contracts/console/session-view.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  dossierReplySchema,
  judgedSearchQuerySchema,
  judgedSessionsQuerySchema,
  judgedSessionsReplySchema,
} from '@fairgate/contracts/judging/reading.ts'
import Type from 'typebox'
import { coverEntries, coverItem, findSessionId, type JudgedTeam } from '../../insight/judged-team.ts'
import {
  type ListedSession,
  listAllSessions,
  listSessionsOf,
  pageSessions,
} from '../../insight/list-sessions.ts'
import { createPeopleOfTeam, type PeopleOfTeam } from '../../insight/people-of-team.ts'
import { readStoredEntry } from '../../insight/read-stored-entry.ts'
import { type Session, SessionReader } from '../../insight/session-reader.ts'
import type { Disguise } from '../../judging/disguise.ts'
import { listJudged } from '../../judging/list-judged.ts'
import { everyCall } from '../../record/coverage-reader.ts'
import { judgeOf } from '../authenticate-admin.ts'
import { searchLogs } from '../logs/search/search-logs.ts'
import { type AdminRoute, answer, answerStored, lookupRoute, type Management } from '../management-route.ts'
import { namePeople, writeJudgedSession } from './judged-sessions.ts'
import { readDossier } from './read-dossier.ts'

const facts = { tag: 'Judging', openTo: 'panel' } as const
const disguised =
  'The team is named as in the queue, and people as in the dossier. Keys, tokens and addresses are left out.'

export function readingRoutes(management: Management): AdminRoute[] {
  const { directory, judging, moment, submissions } = management
  const sessions = new SessionReader(management)
  /** Throws ApiError `team_not_found`. */
  const openTeam = async (team: string): Promise<JudgedTeam> => {
    const disguise = await judging.disguises.current()
    const teamId = disguise.findTeam(team)
    if (teamId === null) throw new ApiError('team_not_found', { param: 'team' })
    return { disguise, teamId, team }
  }
  return [
    lookupRoute({
      ...facts,
      path: '/judging/teams/:team',
      summary:
        'Read the dossier of a team: what it handed in, how it worked, and which sessions are most worth reading',
      description:
        'Any judged team can be read. An unusual session is one with a figure that is far from the median of the sessions of all teams with the same tool: the sentence says which. It accuses nobody.',
      reply: dossierReplySchema,
      errors: ['team_not_found', 'unavailable'],
      keepsOpen: true,
      look: async (_query, { params: { team = '' } }, caller) =>
        await readDossier(management, { ...(await openTeam(team)), judgeId: judgeOf(caller) }),
    }),
    lookupRoute({
      ...facts,
      path: '/judging/teams/:team/files/:file_id',
      summary: 'Download a file of the newest version that a team has handed in',
      description: 'There are none if judging is blind.',
      reply: Type.String({ description: 'The file', contentMediaType: 'application/octet-stream' }),
      replyHeaders: ['content-disposition', 'cache-control'],
      errors: ['team_not_found', 'file_not_found', 'unavailable'],
      keepsOpen: true,
      look: async (_query, { params: { team = '', file_id: fileId = '' }, request }) => {
        const { disguise, teamId } = await openTeam(team)
        const files = disguise.isBlind ? [] : ((await submissions.readNewest(teamId))?.files ?? [])
        if (!files.some(({ file_id }) => file_id === fileId)) throw new ApiError('file_not_found')
        return await submissions.download(teamId, fileId, request.signal)
      },
    }),
    lookupRoute({
      ...facts,
      path: '/judging/sessions',
      summary: 'List the sessions of all judged teams, or of one',
      description:
        'Figures are at most 15 minutes old. Teams that have not been read lately take some tenths of a second each: `pending` says how many are not in the list yet, and each request reads at least one of them.',
      query: judgedSessionsQuerySchema,
      reply: judgedSessionsReplySchema,
      errors: ['invalid_request', 'team_not_found', 'unavailable'],
      isStrict: true,
      keepsOpen: true,
      look: async ({ team: ref, person, ...query }, { signal: client }) => {
        const named = ref === undefined ? null : await openTeam(ref)
        const disguise = named?.disguise ?? (await judging.disguises.current())
        const refs = listRefs(listJudged(directory), disguise)
        const found =
          named === null
            ? await listAllSessions(management, [...refs.keys()], client)
            : await listSessionsOf(management, named.teamId, everyCall, client)
        const refOf = ({ teamId }: ListedSession) => refs.get(teamId) ?? ''
        const peopleOf = createPeopleNames(management, disguise)
        const { page, next, total } = pageSessions(
          found,
          query,
          session => `${refOf(session)} ${disguise.coverId(session.teamId, session.key)}`,
          session => person === undefined || peopleOf(session).includes(person),
        )
        const { count, cost_nano } = total
        return {
          items: page.map(session =>
            writeJudgedSession(session, refOf(session), peopleOf(session), disguise),
          ),
          next,
          pending: found.pending,
          left_out: found.leftOut,
          total: { count, cost_nano },
          as_of: isoTime(found.asOf),
        }
      },
    }),
    lookupRoute({
      ...facts,
      path: '/judging/sessions/:team/:session_id',
      summary: 'Get one session of a team',
      description: disguised,
      query: sessionQuerySchema,
      reply: sessionViewSchema,
      errors: ['invalid_request', 'team_not_found', 'session_not_found', 'unavailable'],
      isStrict: true,
      keepsOpen: true,
      look: async ({ tool }, { params: { team = '', session_id: id = '' } }) => {
        const own = await openTeam(team)
        const session = await sessions.find(own.teamId, await findId(management, own, id), tool, 'newest')
        return {
          ...writeView(sessions, session, own, createPeopleOfTeam(own.teamId, directory)),
          as_of: isoTime(session.asOf),
          version: directory.version(),
        }
      },
    }),
    lookupRoute({
      ...facts,
      path: '/judging/sessions/:team/:session_id/items',
      summary: 'List the entries and calls of a session in order of time',
      description: `Pages as in \`GET /sessions/{team_id}/{session_id}/items\`. ${disguised}`,
      query: sessionItemsQuerySchema,
      reply: sessionItemsReplySchema,
      errors: ['invalid_request', 'team_not_found', 'session_not_found', 'entry_not_found', 'unavailable'],
      isStrict: true,
      keepsOpen: true,
      look: async (query, { params: { team = '', session_id: id = '' } }) => {
        const own = await openTeam(team)
        const page = await new SessionReader({ ...management, ...coverEntries(own.disguise) }).readItems(
          own.teamId,
          await findId(management, own, id),
          query,
        )
        return {
          ...page,
          items: page.items.map(item => coverItem(item, own)),
          version: directory.version(),
        }
      },
    }),
    lookupRoute({
      ...facts,
      path: '/judging/entries/:team/:seq',
      summary: 'Get one entry of a team',
      description: `As stored, with its proof; if judging is blind, with names replaced and without the proof, which would not fit. ${disguised}`,
      reply: storedEntrySchema,
      errors: ['team_not_found', 'entry_not_found', 'unavailable'],
      look: async (_query, call) => {
        const { team = '', seq = '' } = call.params
        const { teamId, disguise } = await openTeam(team)
        const { facts: found, body } = await readStoredEntry(management, teamId, seq)
        call.note({ team_id: teamId })
        const { member_id: memberId } = found.token
        const name = memberId === null ? null : disguise.personOf(teamId, { memberId })
        const token = { token_id: '', name: null, member_id: name, member: name }
        const shown = { ...moment(), ...found, team_id: team, token, client_address: null }
        if (!disguise.isBlind) return answerStored(shown, body)
        return answer({ ...shown, ...noProof, entry: disguise.coverEntry(teamId, JSON.parse(body)) })
      },
    }),
    lookupRoute({
      ...facts,
      path: '/judging/search',
      summary: 'Search the entries of all judged teams, or of one, newest first',
      description:
        'Works like `GET /logs/search`. If judging is blind, entries are searched as a judge reads them, so nobody finds a team by its name.',
      query: judgedSearchQuerySchema,
      reply: searchReplySchema,
      errors: ['invalid_request', 'team_not_found', 'unavailable'],
      isStrict: true,
      keepsOpen: true,
      look: async ({ team, ...query }, { request: { signal } }) => {
        const named = team === undefined ? null : await openTeam(team)
        const disguise = named?.disguise ?? (await judging.disguises.current())
        const view = { ...disguise, showsAll: !disguise.isBlind }
        const hasLeft = () => signal.aborted
        return {
          ...moment(),
          ...(await searchLogs(query, named?.teamId ?? null, hasLeft, management, view)),
        }
      },
    }),
  ]
}

/** They are computed from what the judge must not see. */
const noProof = { id: '', body_sha256: '', chain: '', previous_chain: '', salt: null, commitment: null }

function listRefs(teamIds: readonly string[], disguise: Disguise): ReadonlyMap<string, string> {
  return new Map(
    teamIds.flatMap(teamId => {
      const ref = disguise.refOf(teamId)
      return ref === null ? [] : [[teamId, ref] as const]
    }),
  )
}

/** The people of each team are looked up once. */
function createPeopleNames(
  { directory }: Management,
  disguise: Disguise,
): (session: ListedSession) => string[] {
  const known = new Map<string, PeopleOfTeam>()
  return session => {
    const people = known.get(session.teamId) ?? createPeopleOfTeam(session.teamId, directory)
    known.set(session.teamId, people)
    return namePeople(session, people, disguise)
  }
}

/** Throws ApiError `session_not_found`. */
async function findId({ coverage }: Management, judged: JudgedTeam, id: string): Promise<string> {
  const found = await findSessionId(coverage, judged, id)
  if (found !== null) return found
  throw new ApiError('session_not_found', {
    param: 'session_id',
    message: `The team has no session ${JSON.stringify(id)}.`,
  })
}

function writeView(
  sessions: SessionReader,
  session: Session,
  { disguise, teamId, team }: JudgedTeam,
  people: PeopleOfTeam,
): ReturnType<SessionReader['describe']> {
  const { repo, branch, ...view } = sessions.describe(session)
  const { record, calls } = session
  const found = people.ofSession({
    tokenIds: record?.tokenIds ?? [],
    students: record?.students ?? [],
    keyHash: calls[0]?.judged.call.keyHash ?? null,
  })
  const names = [...new Set(found.map(person => disguise.personOf(teamId, person)))]
  return {
    ...view,
    team_id: team,
    session_id: disguise.coverId(teamId, view.session_id),
    tool: disguise.cover(teamId, view.tool),
    students: [],
    members: names.map(name => ({ member_id: name, name })),
    ...(disguise.isBlind ? { repo: null, branch: null } : { repo, branch }),
  }
}
