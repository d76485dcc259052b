// Reply of GET /sessions: the conversations of a team's tools, joined from its log and its calls.
import Type, { type Static } from 'typebox'
import { plainText } from '../management/owner-fields.ts'
import { teamIdSchema } from '../management/team-bodies.ts'
import { textOrNull, timeParameter } from '../spend/spend-members.ts'
import { cursorQuery, nextCursor, replyHead } from './figures.ts'

export const defaultSessionsPage = 50

export const sessionsQuerySchema = Type.Object({
  team_id: teamIdSchema,
  tool: Type.Optional(plainText({ minLength: 1, description: 'Only sessions of this tool' })),
  logged: Type.Optional(
    Type.Boolean({ description: '`true`: only sessions with log entries; `false`: only sessions without' }),
  ),
  from: timeParameter('from', 'Only sessions still active at or after this time, and calls from then on'),
  until: timeParameter('until', 'Only sessions that started before this time, and calls before it'),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, default: defaultSessionsPage, examples: [20] }),
  ),
  after: cursorQuery,
})

export const sessionRowSchema = Type.Object({
  team_id: Type.String(),
  session_id: Type.String({ description: 'Session id as named by the tool' }),
  tool: textOrNull('Null for a tool that is not recorded'),
  first_at: Type.String({ description: 'Time of its first entry or call, ISO 8601 in UTC' }),
  last_at: Type.String({ description: 'Time of its last entry or call' }),
  students: Type.Array(Type.String(), { description: 'Email addresses named in its entries' }),
  members: Type.Array(Type.Object({ member_id: Type.String(), name: Type.String() }), {
    description: 'Members who own the log tokens its entries were sent with',
  }),
  repo: textOrNull('From its last entry that names one'),
  branch: textOrNull('From its last entry that names one'),
  prompts: Type.Integer({ description: 'Entries with a prompt' }),
  late: Type.Integer({ description: 'Entries that arrived ten minutes or more after they happened' }),
  entries: Type.Integer({ description: 'Log entries over all time; 0 if the log has none of this session' }),
  calls: Type.Integer({ description: 'Calls in the range that belong only to this session' }),
  cost_nano: Type.Integer({ description: 'Total cost in nano-dollars' }),
})

export const sessionsReplySchema = Type.Object({
  ...replyHead,
  items: Type.Array(sessionRowSchema, { description: 'Most recently active first' }),
  next: nextCursor,
  total: Type.Object({
    count: Type.Integer({ description: 'Over all pages' }),
    entries: Type.Integer(),
    calls: Type.Integer(),
    cost_nano: Type.Integer(),
    exact: Type.Boolean({ description: 'Always true' }),
  }),
})

export type SessionRow = Static<typeof sessionRowSchema>
export type SessionsQuery = Static<typeof sessionsQuerySchema>
export type SessionsReply = Static<typeof sessionsReplySchema>
