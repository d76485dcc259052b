// What GET /sessions tells: the conversations of a team's tools, joined from its log and its calls.
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
    Type.Boolean({ description: '`true`: only those with log entries; `false`: only those without' }),
  ),
  from: timeParameter('Only sessions that went on at this time or later, and the calls from then on'),
  until: timeParameter('Only sessions that began before this time, and the calls before it'),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, default: defaultSessionsPage, examples: [20] }),
  ),
  after: cursorQuery,
})

export const sessionRowSchema = Type.Object({
  team_id: Type.String(),
  session_id: Type.String({ description: 'As its tool names it' }),
  tool: textOrNull('Null for a tool that is not recorded'),
  first_at: Type.String({ description: 'Of its first entry or call, ISO 8601 in UTC' }),
  last_at: Type.String({ description: 'Of its last entry or call' }),
  students: Type.Array(Type.String(), { description: 'Addresses that its entries name' }),
  members: Type.Array(Type.Object({ member_id: Type.String(), name: Type.String() }), {
    description: 'To whom the log tokens belong that its entries were sent with',
  }),
  repo: textOrNull('As its last entry that names one tells'),
  branch: textOrNull('As its last entry that names one tells'),
  prompts: Type.Integer({ description: 'Entries with a prompt' }),
  late: Type.Integer({ description: 'Entries that arrived ten minutes or more after they happened' }),
  entries: Type.Integer({ description: 'Log entries over all time; 0: the log has nothing of it' }),
  calls: Type.Integer({ description: 'Calls in the range that belong to it and to no other' }),
  cost_nano: Type.Integer({ description: 'What they cost, in nano-dollars' }),
})

export const sessionsReplySchema = Type.Object({
  ...replyHead,
  items: Type.Array(sessionRowSchema, { description: 'The one that went on last comes first' }),
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
