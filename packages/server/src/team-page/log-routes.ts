// GET /self/entries and /self/sessions/{session_id}/items: a team's own log, for members who may read it.
import {
  type SelfEntries,
  selfEntriesQuerySchema,
  selfEntriesSchema,
} from '@fairgate/contracts/console/self.ts'
import {
  type SessionItemsReply,
  sessionItemsQuerySchema,
  sessionItemsReplySchema,
} from '@fairgate/contracts/console/session-view.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { LogToken } from '../directory/types.ts'
import type { Caller } from '../gateway/flow/authenticate.ts'
import type { Route } from '../http/route.ts'
import { momentOf, type SelfSources, selfRoute } from './self-route.ts'

const whoMayRead =
  'Requires the key of a member who also has a working log token of the team, for example from joining with a line. A gateway key alone ' +
  'does not open the log.'

export function logRoutes(sources: SelfSources): Route<Caller>[] {
  const { directory, entries } = sources
  return [
    selfRoute({
      path: '/self/entries',
      summary: "List your team's log entries, newest first",
      description: `Large entries are cut, as in a session. ${whoMayRead}`,
      query: selfEntriesQuerySchema,
      reply: selfEntriesSchema,
      errors: ['invalid_request', 'session_not_found'],
      isStrict: true,
      keepsOpen: true,
      look: async (caller, { query }): Promise<SelfEntries> => {
        requireLogToken(directory.logTokens(), caller)
        const page = await entries.readEntries(caller.team.teamId, query)
        return { ...momentOf(sources), ...page }
      },
    }),
    selfRoute({
      path: '/self/sessions/:session_id/items',
      summary: "List the entries and calls of one of your team's sessions, in order of time",
      description: `Pages go both ways. ${whoMayRead}`,
      query: sessionItemsQuerySchema,
      reply: sessionItemsReplySchema,
      errors: ['invalid_request', 'session_not_found', 'entry_not_found'],
      isStrict: true,
      keepsOpen: true,
      look: async (caller, { params, query }): Promise<SessionItemsReply> => {
        requireLogToken(directory.logTokens(), caller)
        const page = await entries.readItems(caller.team.teamId, params.session_id ?? '', query)
        return { ...page, version: directory.version() }
      },
    }),
  ]
}

/** Throws ApiError `route_not_allowed`. */
function requireLogToken(tokens: readonly LogToken[], { key, team }: Caller): void {
  const { memberId = null } = key
  const isHeld = tokens.some(
    token =>
      memberId !== null &&
      token.memberId === memberId &&
      token.teamId === team.teamId &&
      token.revokedAt === null,
  )
  if (isHeld) return
  throw new ApiError('route_not_allowed', {
    message:
      "This key cannot read your team's log, because its member has no working log token. Get a recorder line on the Connect screen, or read " +
      'the entries with your log token at the logbook.',
  })
}
