// GET /self/entries and /self/sessions/{session_id}/items: what a team's agents have written into its own log, for who may read it.
import {
  type SelfEntries,
  type SelfEntriesQuery,
  selfEntriesQuerySchema,
  selfEntriesSchema,
} from '@fairgate/contracts/console/self.ts'
import {
  type SessionItemsQuery,
  type SessionItemsReply,
  sessionItemsQuerySchema,
  sessionItemsReplySchema,
} from '@fairgate/contracts/console/session-view.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { LogToken } from '../directory/types.ts'
import type { Caller } from '../gateway/flow/authenticate.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { refuseUnknownParameters } from '../record/read-filter.ts'
import { answerSelf } from './answer-self.ts'
import { selfErrors, selfTag as tag } from './session-routes.ts'

export type LogRoutesDependencies = {
  readonly directory: Pick<Directory, 'logTokens' | 'version'>
  readonly log: {
    /** Newest first. Throws ApiError `invalid_request`, `session_not_found`. */
    readonly readEntries: (
      teamId: string,
      query: SelfEntriesQuery,
    ) => Promise<Pick<SelfEntries, 'items' | 'next'>>
    /** Throws ApiError `invalid_request`, `session_not_found`, `entry_not_found`. */
    readonly readItems: (
      teamId: string,
      sessionId: string,
      query: SessionItemsQuery,
    ) => Promise<Omit<SessionItemsReply, 'version'>>
  }
  /** Unix ms. */
  readonly clock: () => number
}

const whoMayRead =
  'It takes the key of a member who also has a log token of the team that works, such as one that joined with a line: a gateway key alone ' +
  'does not open the log.'

export function logRoutes({ directory, log, clock }: LogRoutesDependencies): Route<Caller>[] {
  const shared = { method: 'GET', tag, replyHeaders: ['cache-control'] } as const
  const errors = [...selfErrors, 'invalid_request', 'session_not_found', 'unavailable'] as const
  return [
    defineRoute<Caller, undefined, typeof selfEntriesQuerySchema>({
      ...shared,
      path: '/self/entries',
      summary: 'The log entries of the own team, newest first',
      description: `Large entries are cut, as in a session. ${whoMayRead}`,
      query: selfEntriesQuerySchema,
      replies: { 200: selfEntriesSchema },
      errors,
      handle: async (caller, call) => {
        refuseUnknownParameters(selfEntriesQuerySchema, new URL(call.request.url).searchParams)
        requireLogToken(directory.logTokens(), caller)
        call.keepOpen()
        const page = await log.readEntries(caller.team.teamId, call.query)
        const reply: SelfEntries = { as_of: isoTime(clock()), version: directory.version(), ...page }
        return answerSelf(reply)
      },
    }),
    defineRoute<Caller, undefined, typeof sessionItemsQuerySchema>({
      ...shared,
      path: '/self/sessions/:session_id/items',
      pathExamples: { session_id: '7f2c91d4' },
      summary: 'The entries and calls of a conversation of the own team, in the order of their times',
      description: `Pages go both ways. ${whoMayRead}`,
      query: sessionItemsQuerySchema,
      replies: { 200: sessionItemsReplySchema },
      errors: [...errors, 'entry_not_found'],
      handle: async (caller, call) => {
        refuseUnknownParameters(sessionItemsQuerySchema, new URL(call.request.url).searchParams)
        requireLogToken(directory.logTokens(), caller)
        call.keepOpen()
        const { session_id: sessionId = '' } = call.params
        const page = await log.readItems(caller.team.teamId, sessionId, call.query)
        const reply: SessionItemsReply = { ...page, version: directory.version() }
        return answerSelf(reply)
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
      'This key does not open the log of the team: its member has no log token that works. Get a recorder line at Connect, or read ' +
      'the entries with your log token at the logbook.',
  })
}
