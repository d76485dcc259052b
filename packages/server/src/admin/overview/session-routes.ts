// GET /sessions/{team_id}/{session_id}, its items, and GET /entries/{team_id}/{seq}: a session for reading, and one entry with its proof.
import {
  sessionItemsQuerySchema,
  sessionItemsReplySchema,
  sessionQuerySchema,
  sessionViewSchema,
  storedEntrySchema,
} from '@fairgate/contracts/console/session-view.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { requireTeam } from '../../directory/refusals.ts'
import { readStoredEntry } from '../../insight/read-stored-entry.ts'
import { SessionReader } from '../../insight/session-reader.ts'
import { type AdminRoute, answerStored, lookupRoute, type Management } from '../management-route.ts'

const facts = { tag: 'Overview', openTo: 'judges' } as const

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
function storedEntryRoute(management: Management): AdminRoute {
  const { directory, moment } = management
  return lookupRoute({
    ...facts,
    path: '/entries/:team_id/:seq',
    summary: 'Get one entry as stored, with its proof',
    reply: storedEntrySchema,
    errors: ['team_not_found', 'entry_not_found', 'unavailable'],
    look: async (_query, call, caller) => {
      const { team_id = '', seq = '' } = call.params
      const { teamId } = requireTeam(directory, team_id)
      const { facts: found, body } = await readStoredEntry(management, teamId, seq)
      const address = caller.role === 'organiser' ? found.client_address : null
      call.note({ team_id: teamId })
      return answerStored({ ...moment(), ...found, client_address: address }, body)
    },
  })
}
