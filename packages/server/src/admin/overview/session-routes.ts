// GET /sessions/{team_id}/{session_id}, its items, and GET /entries/{team_id}/{seq}: a session for reading, and one entry with its proof.
import {
  sessionItemsQuerySchema,
  sessionItemsReplySchema,
  sessionQuerySchema,
  sessionViewSchema,
  storedEntrySchema,
} from '@fairgate/contracts/console/session-view.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { requireTeam } from '../../directory/refusals.ts'
import { SessionReader } from '../../insight/session-reader.ts'
import { formatMicroseconds } from '../../logbook/parse-instant.ts'
import { type AdminRoute, answerText, lookupRoute, type Management } from '../management-route.ts'

const facts = { tag: 'Overview', openTo: 'judges' } as const
const noLink = '0'.repeat(64)

export function sessionRoutes(management: Management): AdminRoute[] {
  const { directory } = management
  const sessions = new SessionReader(management)
  return [
    lookupRoute({
      ...facts,
      path: '/sessions/:team_id/:session_id',
      summary: 'Get one session of a tool: people, repository, duration, cost and log coverage',
      query: sessionQuerySchema,
      reply: sessionViewSchema,
      errors: ['invalid_request', 'team_not_found', 'session_not_found', 'unavailable'],
      isStrict: true,
      keepsOpen: true,
      look: async ({ tool }, { params: { team_id = '', session_id = '' } }) => {
        const { teamId } = requireTeam(directory, team_id)
        const session = await sessions.find(teamId, session_id, tool, 'newest')
        return {
          as_of: isoTime(session.asOf),
          version: directory.version(),
          ...sessions.describe(session),
        }
      },
    }),
    lookupRoute({
      ...facts,
      path: '/sessions/:team_id/:session_id/items',
      summary: 'List the entries and calls of a session in order of time',
      description:
        'Pages go both ways. Entries include all that have arrived by now. Calls are matched as in `GET /coverage`, at `as_of`, at most a minute ago. Refused ' +
        'calls that name the session are included. An entry is placed by its own time, but never later than it was received.',
      query: sessionItemsQuerySchema,
      reply: sessionItemsReplySchema,
      errors: ['invalid_request', 'team_not_found', 'session_not_found', 'entry_not_found', 'unavailable'],
      isStrict: true,
      keepsOpen: true,
      look: async (query, { params: { team_id = '', session_id = '' } }) => {
        const { teamId } = requireTeam(directory, team_id)
        const page = await sessions.readItems(teamId, session_id, query)
        return { ...page, version: directory.version() }
      },
    }),
    storedEntryRoute(management),
  ]
}

/** Sends the stored text unchanged, never parsed and written again. */
function storedEntryRoute({ read, directory, moment }: Management): AdminRoute {
  return lookupRoute({
    ...facts,
    path: '/entries/:team_id/:seq',
    summary: 'Get one entry as stored, with its proof',
    reply: storedEntrySchema,
    errors: ['team_not_found', 'entry_not_found', 'unavailable'],
    look: async (_query, call, caller) => {
      const { team_id = '', seq: text = '' } = call.params
      const { teamId } = requireTeam(directory, team_id)
      const seq = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0
      // The previous entry has the chain value that this one continues.
      const rows =
        seq === 0
          ? []
          : await read.readEntriesAfter({ teamId, afterSeq: Math.max(0, seq - 2), limit: seq === 1 ? 1 : 2 })
      const row = rows.find(one => one.seq === seq)
      if (row === undefined)
        throw new ApiError('entry_not_found', {
          param: 'seq',
          message: `Team ${teamId} has no entry ${text}.`,
        })
      const token = directory.findLogTokenById(row.tokenId)
      const memberId = token?.memberId ?? null
      const known = {
        ...moment(),
        team_id: teamId,
        seq,
        id: row.identity,
        ts: formatMicroseconds(row.tsMicros),
        received_at: formatMicroseconds(row.receivedMicros),
        is_late: row.late === 1,
        body_bytes: row.bodyBytes,
        body_sha256: Bun.SHA256.hash(row.body, 'hex'),
        chain: row.chain,
        previous_chain: rows.find(one => one.seq === seq - 1)?.chain ?? noLink,
        salt: writeBytes(row.salt),
        commitment: writeBytes(row.commitment),
        token: {
          token_id: row.tokenId,
          name: token?.tokenName ?? null,
          member_id: memberId,
          member: memberId === null ? null : (directory.findMember(memberId)?.name ?? null),
        },
        client_address: caller.role === 'organiser' ? row.clientAddress : null,
      }
      call.note({ team_id: teamId })
      return answerText(`${JSON.stringify(known).slice(0, -1)},"entry":${row.body}}`)
    },
  })
}

function writeBytes(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString('base64')
}
