// Reply of GET /sessions: the conversations of the teams' tools, joined from their logs and their calls.
import Type, { type Static } from 'typebox'
import { plainText } from '../management/owner-fields.ts'
import { teamIdSchema } from '../management/team-bodies.ts'
import { textOrNull } from '../spend/spend-members.ts'
import { cursorQuery, nextCursor, numberOrNull, replyHead } from './figures.ts'

export const defaultSessionsPage = 50

export const sessionSorts = ['newest', 'dearest', 'longest'] as const

/** Filters and order of every list of sessions. */
export const sessionFilters = {
  tool: Type.Optional(plainText({ minLength: 1, description: 'Only sessions of this tool' })),
  logged: Type.Optional(
    Type.Boolean({ description: '`true`: only sessions with log entries; `false`: only sessions without' }),
  ),
  min_cost_nano: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Only sessions that cost at least this, in nano-dollars' }),
  ),
  sort: Type.Optional(
    Type.Enum([...sessionSorts], {
      default: 'newest',
      description: 'By last activity, cost, or active time; the highest first',
    }),
  ),
}

/** How much of the teams a list of several teams has. */
export const sessionListState = {
  pending: Type.Integer({
    description: 'Teams that are not in this list yet, because they are still being read: ask again',
  }),
  left_out: Type.Integer({
    description:
      'Older sessions that a list of several teams leaves out of teams with very many; ask for such a team alone',
  }),
}

/** Without an example, because it needs a team. */
const rangeTime = (description: string) =>
  Type.Optional(
    Type.String({ maxLength: 64, description: `With \`team_id\`. ${description}; ISO 8601 with an offset` }),
  )

export const sessionsQuerySchema = Type.Object({
  team_id: Type.Optional(teamIdSchema),
  person: Type.Optional(
    plainText({
      minLength: 1,
      description: "A `member_id`, for sessions with this member's tokens, or an address that entries name",
    }),
  ),
  ...sessionFilters,
  from: rangeTime('Only sessions still active at or after this time, and calls from then on'),
  until: rangeTime('Only sessions that started before this time, and calls before it'),
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
  first_prompt: textOrNull('First 200 characters of its first prompt that a person wrote'),
  prompts: Type.Integer({ description: 'Entries with a prompt' }),
  late: Type.Integer({
    description:
      'Entries that arrived ten minutes or more after they happened, and not with the first push of their recorder after that',
  }),
  entries: Type.Integer({ description: 'Log entries over all time; 0 if the log has none of this session' }),
  calls: Type.Integer({ description: 'Calls in the range that belong only to this session' }),
  cost_nano: Type.Integer({ description: 'Total cost in nano-dollars' }),
  coverage: numberOrNull(
    'Share of that cost that the log covers, from 0 to 1, rounded down; null if nothing was spent',
  ),
  active_ms: Type.Integer({ description: 'Time from first to last, excluding gaps' }),
})

export const sessionsReplySchema = Type.Object({
  ...replyHead,
  items: Type.Array(sessionRowSchema, { description: 'In the order of `sort`' }),
  next: nextCursor,
  ...sessionListState,
  total: Type.Object({
    count: Type.Integer({ description: 'Over all pages' }),
    entries: Type.Integer(),
    calls: Type.Integer(),
    cost_nano: Type.Integer(),
    exact: Type.Boolean({ description: 'false while teams are pending, or if sessions are left out' }),
  }),
})

export type SessionRow = Static<typeof sessionRowSchema>
export type SessionsQuery = Static<typeof sessionsQuerySchema>
export type SessionsReply = Static<typeof sessionsReplySchema>
