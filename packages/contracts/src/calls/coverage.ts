// What GET /coverage tells, on both doors: how much of what a team's agents spent the logbook covers, and the calls behind the number.
import Type, { type Static } from 'typebox'
import { teamIdSchema } from '../management/team-bodies.ts'

/** Class of a call → what it says, in the order in which they are shown. */
export const coverageClasses = {
  session: 'The id of its session, or of the session that started it, is in the log',
  text: 'Its texts, or the conversation that it goes on with, are in the log',
  ambiguous:
    'Its texts are in several sessions of the log: it is covered, and which of them it belongs to is open',
  probable: 'Only its time fits a session of the log: it is not counted as covered',
  unexplained: 'Nothing in the log fits it',
  pending: 'Its entries may still be on their way: they are sent at a push',
  before_setup: 'It came before the first entry of its tool',
  side: 'A small call without tools, such as a title or a probe, that no entry fits',
  app: 'No call of a recorded agent: an SDK, media, or an agent that the recorder does not know',
} as const
export type CoverageClass = keyof typeof coverageClasses

const describeClasses = Object.entries(coverageClasses)
  .map(([name, text]) => `\`${name}\`: ${text}.`)
  .join(' ')

/** What a call was joined by, or why it was not. */
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

/** The most calls on a page, and the default. */
export const maximumCoveragePage = 200
export const defaultCoveragePage = 50

const time = (description: string) =>
  Type.Optional(
    Type.String({
      maxLength: 64,
      description: `${description}; ISO 8601 with an offset`,
      examples: ['2026-11-21T18:00:00+09:00'],
    }),
  )

const queryMembers = {
  from: time('Only calls that came at this time or later'),
  until: time('Only calls that came before this time'),
  calls: Type.Optional(
    Type.Enum(['true', 'false'], { description: '`true`: with the calls behind each class, newest first' }),
  ),
  class: Type.Optional(
    Type.Enum(Object.keys(coverageClasses) as CoverageClass[], {
      description: 'With `calls=true`: only calls of this class',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maximumCoveragePage,
      default: defaultCoveragePage,
      examples: [50],
      description: 'With `calls=true`: calls on a page',
    }),
  ),
  before: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
      description: 'With `calls=true`: the `next_before` of the page before',
    }),
  ),
}

export const coverageQuerySchema = Type.Object(queryMembers)
/** Teams on a page of all. */
export const defaultTeamCoveragePage = 20

export const organiserCoverageQuerySchema = Type.Object({
  team_id: Type.Optional(teamIdSchema),
  ...queryMembers,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maximumCoveragePage,
      examples: [50],
      description: `With \`calls=true\`: calls on a page, ${defaultCoveragePage} when absent. Without \`team_id\`: teams on a page, ${defaultTeamCoveragePage} when absent`,
    }),
  ),
  after: Type.Optional(
    Type.String({ maxLength: 200, description: 'Without `team_id`: the `next` of the page before' }),
  ),
})
export type CoverageQuery = Static<typeof coverageQuerySchema>

const share = {
  calls: Type.Integer(),
  cost_nano: Type.Integer({ description: 'What they cost, in nano-dollars (1e-9 USD)' }),
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
  session_id: Type.String({ description: 'As the tool named it in its calls' }),
  tool: Type.String(),
  class: Type.Enum(['unexplained', 'pending']),
  ...share,
  first_at: timeSchema('Its first call'),
  last_at: timeSchema('The end of its last call'),
})

const coveredCallSchema = Type.Object({
  call_id: Type.String({ description: 'The `x-gateway-call-id` of the answer' }),
  class: Type.Enum(Object.keys(coverageClasses) as CoverageClass[]),
  by: Type.Enum([...coverageReasons], {
    description:
      'What it was joined by: `id` or `parent` of the session, `texts`, the `conversation` that it is part of, or its `time`; else why it was not',
  }),
  sessions: Type.Array(Type.String(), {
    description: 'Sessions of the log that it belongs to, or may belong to, as `tool:id`',
    maxItems: 20,
  }),
  tool: textOrNull('The tool by what it says of itself'),
  session_id: textOrNull('The id that the tool gave its session'),
  key: Type.String({ description: 'SHA-256 of the key, 64 hex digits' }),
  received_at: timeSchema('When the request came'),
  cost_nano: share.cost_nano,
  cost: share.cost,
})

export const teamCoverageSchema = Type.Object({
  team_id: Type.String(),
  as_of: timeSchema(
    'When this was computed: up to ten seconds ago for one team, up to 15 minutes ago over all teams and all time',
  ),
  coverage: portion(
    'The share of judged spend that is covered (`session`, `text`, `ambiguous`), rounded down; null for fewer than 20 judged calls or less than USD 0.05',
  ),
  coverage_with_probable: portion('The same with `probable`: what coverage may be at most'),
  judged: Type.Object(share, {
    description: 'What coverage is a share of: `session`, `text`, `ambiguous`, `probable` and `unexplained`',
  }),
  classes: classesSchema,
  unexplained_by: Type.Record(Type.String(), shareSchema, {
    description:
      'Reason → calls. `session_without_entries`: the tool names a session that is not in the log. `tool_without_entries`: the log has no entry of this tool. `no_entry_fits`: no text and no time fits',
  }),
  logged_sessions: Type.Integer({ description: 'Sessions of the log in this time' }),
  logged_only: Type.Object(
    { sessions: Type.Integer(), entries: Type.Integer() },
    { description: 'Sessions of the log without a call: normal for tools that do not use the gateway' },
  ),
  sessions_without_entries: Type.Array(missingSessionSchema, {
    description: 'Sessions that calls name and the log does not have, newest first; at most 50',
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
  teams: Type.Array(teamCoverageSchema, { description: 'In the order in which the teams were made' }),
  next: textOrNull('Pass it as `after` for the next page; null on the last page'),
})

export type TeamCoverageRecord = Static<typeof teamCoverageSchema>
export type CoverageList = Static<typeof coverageListSchema>
