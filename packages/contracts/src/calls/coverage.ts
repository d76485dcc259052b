// Reply of GET /coverage on both doors: the share of a team's agent spend that the logbook covers, and the calls behind the number.
import Type, { type Static } from 'typebox'
import { teamIdSchema } from '../management/team-bodies.ts'
import { timeParameter } from '../spend/spend-members.ts'

/** Class of a call → its meaning, in display order. */
export const coverageClasses = {
  session: 'The log contains its session id, or that of the session that started it',
  text: 'The log contains its texts, or the conversation that it continues',
  ambiguous:
    'Multiple logged sessions contain its texts: it is covered, but the session it belongs to is uncertain',
  probable: 'Only its time matches a logged session: it does not count as covered',
  unexplained: 'Nothing in the log matches it',
  pending: 'Its entries may not have been sent yet: recorders send them on push',
  before_setup: 'It was received before the first entry of its tool',
  side: 'A small call without tools, such as a title or a probe, that no entry matches',
  app: 'Not from a recorded agent: an SDK, media, or an agent that the recorder does not support',
} as const
export type CoverageClass = keyof typeof coverageClasses

const describeClasses = Object.entries(coverageClasses)
  .map(([name, text]) => `\`${name}\`: ${text}.`)
  .join(' ')

/** How a call was matched, or why it was not. */
const coverageReasons = [
  'id',
  'parent',
  'texts',
  'conversation',
  'time',
  'not_sent_yet',
  'before_first_entry',
  'small_call',
  'session_without_entries',
  'tool_without_entries',
  'no_entry_fits',
  'not_an_agent',
] as const

/** Maximum and default number of calls on a page. */
export const maximumCoveragePage = 200
export const defaultCoveragePage = 50

const queryMembers = {
  from: timeParameter('from', 'Only calls received at or after this time'),
  until: timeParameter('until', 'Only calls received before this time'),
  calls: Type.Optional(
    Type.Enum(['true', 'false'], {
      description: '`true`: include the calls behind each class, newest first',
    }),
  ),
  class: Type.Optional(
    Type.Enum(Object.keys(coverageClasses) as CoverageClass[], {
      description: 'With `calls=true`: only calls in this class',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maximumCoveragePage,
      default: defaultCoveragePage,
      examples: [50],
      description: 'With `calls=true`: calls per page',
    }),
  ),
  before: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
      description: 'With `calls=true`: `next_before` of the previous page',
    }),
  ),
}

export const coverageQuerySchema = Type.Object(queryMembers)
/** Default number of teams per page when no team is given. */
export const defaultTeamCoveragePage = 20

export const organiserCoverageQuerySchema = Type.Object({
  team_id: Type.Optional(teamIdSchema),
  ...queryMembers,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maximumCoveragePage,
      examples: [50],
      description: `With \`calls=true\`: calls per page, default ${defaultCoveragePage}. Without \`team_id\`: teams per page, default ${defaultTeamCoveragePage}`,
    }),
  ),
  after: Type.Optional(
    Type.String({ maxLength: 200, description: 'Without `team_id`: `next` of the previous page' }),
  ),
})
export type CoverageQuery = Static<typeof coverageQuerySchema>

const share = {
  calls: Type.Integer(),
  cost_nano: Type.Integer({ description: 'Total cost in nano-dollars (1e-9 USD)' }),
  cost: Type.Number({ description: 'The same in USD' }),
}
const shareSchema = Type.Object(share)
const timeSchema = (description: string) => Type.String({ description: `${description}, ISO 8601 in UTC` })
const portion = (description: string) =>
  Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], { description })
const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const classesSchema = Type.Object(
  {
    session: shareSchema,
    text: shareSchema,
    ambiguous: shareSchema,
    probable: shareSchema,
    unexplained: shareSchema,
    pending: shareSchema,
    before_setup: shareSchema,
    side: shareSchema,
    app: shareSchema,
  },
  { description: describeClasses },
)

const missingSessionSchema = Type.Object({
  session_id: Type.String({ description: 'Session id that the tool sent with its calls' }),
  tool: Type.String(),
  class: Type.Enum(['unexplained', 'pending']),
  ...share,
  first_at: timeSchema('Start of its first call'),
  last_at: timeSchema('End of its last call'),
})

const coveredCallSchema = Type.Object({
  call_id: Type.String({ description: 'The `x-gateway-call-id` of the answer' }),
  class: Type.Enum(Object.keys(coverageClasses) as CoverageClass[]),
  by: Type.Enum([...coverageReasons], {
    description:
      'How it was matched: by the `id` or `parent` of the session, its `texts`, the `conversation` it belongs to, or its `time`; otherwise why it was not',
  }),
  sessions: Type.Array(Type.String(), {
    description: 'Logged sessions that it belongs to or may belong to, as `tool:id`',
    maxItems: 20,
  }),
  tool: textOrNull('Tool as it identifies itself'),
  session_id: textOrNull('Session id sent by the tool'),
  key: Type.String({ description: 'SHA-256 of the key, 64 hex digits' }),
  received_at: timeSchema('When the request was received'),
  cost_nano: share.cost_nano,
  cost: share.cost,
})

export const teamCoverageSchema = Type.Object({
  team_id: Type.String(),
  as_of: timeSchema(
    'When this was computed: up to 10 seconds ago for one team, up to 15 minutes ago for all teams over all time',
  ),
  coverage: portion(
    'Share of judged spend that is covered (`session`, `text`, `ambiguous`), rounded down; null if there are fewer than 20 judged calls or less than USD 0.05',
  ),
  coverage_with_probable: portion('The same including `probable`: the upper bound of coverage'),
  judged: Type.Object(share, {
    description:
      'Calls that coverage is a share of: `session`, `text`, `ambiguous`, `probable` and `unexplained`',
  }),
  classes: classesSchema,
  unexplained_by: Type.Record(Type.String(), shareSchema, {
    description:
      'Reason → calls. `session_without_entries`: the log does not contain the session that the tool names. `tool_without_entries`: the log has no entries from this tool. `no_entry_fits`: neither a text nor a time matches',
  }),
  logged_sessions: Type.Integer({ description: 'Logged sessions in this period' }),
  logged_only: Type.Object(
    { sessions: Type.Integer(), entries: Type.Integer() },
    { description: 'Logged sessions without calls: normal for tools that do not use the gateway' },
  ),
  sessions_without_entries: Type.Array(missingSessionSchema, {
    description: 'Sessions that calls name but the log does not contain, newest first; at most 50',
  }),
  calls: Type.Optional(
    Type.Object(
      {
        items: Type.Array(coveredCallSchema, { description: 'Newest first' }),
        next_before: textOrNull('Pass it as `before` for the next page; null on the last page'),
      },
      { description: 'With `calls=true` only' },
    ),
  ),
})

export const coverageListSchema = Type.Object({
  teams: Type.Array(teamCoverageSchema, { description: 'In the order in which the teams were created' }),
  next: textOrNull('Pass it as `after` for the next page; null on the last page'),
})

export type TeamCoverageRecord = Static<typeof teamCoverageSchema>
export type CoverageList = Static<typeof coverageListSchema>
