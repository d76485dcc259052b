// What a judge reads: the queue, the dossier of a team, and sessions of all teams. Names are pseudonyms if judging is blind.
import Type, { type Static, type TSchema } from 'typebox'
import { cursorQuery, nextCursor, replyHead } from '../console/figures.ts'
import { searchQuerySchema } from '../console/search.ts'
import { sessionItemSchema } from '../console/session-view.ts'
import { sessionFilters, sessionListState } from '../console/sessions.ts'
import { maxTopics, streamPulse } from '../console/stream.ts'
import { plainText } from '../management/owner-fields.ts'
import { integerOrNull, textOrNull } from '../spend/spend-members.ts'
import { judgementStates, teamRefSchema } from './scores.ts'
import { judgingSetupSchema } from './setup.ts'

const asOf = { as_of: Type.String({ description: 'ISO 8601 in UTC' }) }
const time = Type.Union([Type.String(), Type.Null()])
const nano = Type.Integer({ description: 'In nano-dollars' })
const share = Type.Union([Type.Number(), Type.Null()], {
  description: 'Share of the cost that the log covers, from 0 to 1, rounded down; null if nothing was spent',
})

const { criteria, gates, minutes_per_team, judges_per_team } = judgingSetupSchema.properties

/** Reply of GET /judging/queue: the judge's start page. */
export const queueReplySchema = Type.Object({
  judge: Type.Object({ judge_id: Type.String(), name: Type.String() }),
  event: Type.Object({
    name: Type.String(),
    time_zone: Type.String({ description: 'IANA name; the page shows all times in it' }),
  }),
  blind: Type.Boolean(),
  criteria,
  gates: Type.Array(gates.items),
  judges_per_team,
  minutes_per_team,
  open: Type.Boolean({ description: 'Scores can be written now' }),
  opens_at: time,
  closes_at: time,
  next: Type.Union([teamRefSchema, Type.Null()], {
    description: 'What to read next; null: all teams are read',
  }),
  done: Type.Integer({ description: 'Finished, or could not be judged' }),
  items: Type.Array(
    Type.Object({
      team: teamRefSchema,
      name: Type.String(),
      state: Type.Enum([...judgementStates]),
      calibration: Type.Boolean({ description: 'Every judge reads this team first' }),
      why: Type.String({ description: 'Why this team is at this place, in one sentence' }),
      title: textOrNull('Of the submission'),
      sessions: integerOrNull('Null while the sessions of the team are still being read'),
      cost_nano: integerOrNull('In nano-dollars; null like `sessions`'),
      at: Type.Union([Type.String(), Type.Null()], { description: 'When it was finished or last saved' }),
    }),
    { description: 'In the order of reading' },
  ),
  order: Type.Object({
    due: Type.Boolean({ description: 'All teams are read, and their order is not saved yet' }),
    saved: Type.Boolean(),
  }),
  ...asOf,
})

/** One session, as lists and dossiers show it. */
export const judgedSessionSchema = Type.Object({
  team: teamRefSchema,
  name: Type.String({ description: 'Of the team' }),
  session_id: Type.String({ description: 'Session id as named by the tool' }),
  tool: textOrNull('Null for a tool that is not recorded'),
  people: Type.Array(Type.String()),
  first_at: Type.String(),
  last_at: Type.String(),
  first_prompt: textOrNull('First 200 characters of its first prompt'),
  prompts: Type.Integer(),
  entries: Type.Integer(),
  calls: Type.Integer(),
  cost_nano: nano,
  coverage: share,
  active_ms: Type.Integer({ description: 'Time from first to last, excluding gaps' }),
})

export const pickReasons = ['dearest', 'longest', 'surprising', 'chance'] as const

/** Reply of GET /judging/teams/{team}. */
export const dossierReplySchema = Type.Object({
  team: teamRefSchema,
  name: Type.String(),
  blind: Type.Boolean(),
  assigned: Type.Boolean({ description: 'You score this team; others you may only read' }),
  state: Type.Enum([...judgementStates]),
  calibration: Type.Boolean(),
  submission: Type.Union(
    [
      Type.Null(),
      Type.Object({
        title: textOrNull('As handed in'),
        summary: textOrNull('As handed in'),
        disclosure: textOrNull('As handed in'),
        late: Type.Boolean(),
        handed_in_at: time,
        version: Type.Integer(),
        repository: textOrNull('Null if judging is blind'),
        commit: textOrNull('Null if judging is blind'),
        demo_url: textOrNull('Null if judging is blind'),
        video_url: textOrNull('Null if judging is blind'),
        files: Type.Array(
          Type.Object({
            file_id: Type.String(),
            filename: Type.String(),
            mime_type: Type.String(),
            bytes: Type.Integer(),
          }),
          { description: 'Empty if judging is blind' },
        ),
        hidden: Type.Boolean({
          description: 'Repository, links and files are hidden, because judging is blind',
        }),
      }),
    ],
    { description: 'Null: nothing was handed in' },
  ),
  people: Type.Array(
    Type.Object({
      name: Type.String(),
      tools: Type.Array(Type.String()),
      sessions: Type.Integer(),
      prompts: Type.Integer(),
      calls: Type.Integer(),
      cost_nano: nano,
      /** Times of work, for a row of bars. */
      spans: Type.Array(
        Type.Object({
          from: Type.String(),
          until: Type.String(),
          tool: textOrNull('Null for a tool that is not recorded'),
          logged: Type.Boolean({ description: 'false: calls without a log' }),
        }),
        { maxItems: 500 },
      ),
    }),
    { description: 'A row for each person of the team; what belongs to nobody stands under "Unknown"' },
  ),
  tools: Type.Array(Type.Object({ tool: Type.String(), sessions: Type.Integer(), cost_nano: nano })),
  models: Type.Array(Type.Object({ model: Type.String(), calls: Type.Integer(), cost_nano: nano })),
  hours: Type.Array(Type.Object({ at: Type.String(), cost_nano: nano, calls: Type.Integer() }), {
    description: 'Cost of each hour from the first to the last call; at most 336',
  }),
  totals: Type.Object({
    sessions: Type.Integer(),
    prompts: Type.Integer(),
    calls: Type.Integer(),
    commits: Type.Integer({ description: 'Different commits that the entries name' }),
    cost_nano: nano,
  }),
  coverage: Type.Object({
    share,
    /** In plain words: what the log does not cover, the largest first. */
    missing: Type.Array(Type.Object({ what: Type.String(), calls: Type.Integer(), cost_nano: nano })),
  }),
  gaps: Type.Array(Type.Object({ from: Type.String(), until: Type.String(), ms: Type.Integer() }), {
    description: 'Periods without any activity of the team, the longest first',
    maxItems: 10,
  }),
  picks: Type.Array(
    Type.Object({ session: judgedSessionSchema, why: Type.Enum([...pickReasons]), sentence: Type.String() }),
    { description: 'Sessions that are most worth reading; one is drawn by chance' },
  ),
  draw: Type.String({ description: 'How the chance pick was drawn, so that anybody can repeat it' }),
  compared: Type.Object(
    {
      sessions: Type.Integer(),
      pending: Type.Integer({ description: 'Teams that are still being read; the picks may change' }),
    },
    { description: 'The sessions of all teams that an unusual session was compared with' },
  ),
  ...asOf,
})

export const judgedSessionsQuerySchema = Type.Object({
  team: Type.Optional(teamRefSchema),
  person: Type.Optional(
    plainText({ minLength: 1, description: 'Only sessions of this person, as named in the list' }),
  ),
  ...sessionFilters,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50, examples: [20] })),
  after: cursorQuery,
})
/** Reply of GET /judging/sessions. */
export const judgedSessionsReplySchema = Type.Object({
  items: Type.Array(judgedSessionSchema),
  next: nextCursor,
  ...sessionListState,
  total: Type.Object({ count: Type.Integer(), cost_nano: nano }),
  ...asOf,
})

const { q, tool, event, from, until, limit, after } = searchQuerySchema.properties
/** Query of GET /judging/search; its reply is that of GET /logs/search. */
export const judgedSearchQuerySchema = Type.Object({
  q,
  team: Type.Optional(teamRefSchema),
  tool,
  event,
  from,
  until,
  limit,
  after,
})

/** Topics of GET /judging/stream. Without a schema of their own: their data are those of the topics of GET /stream that they are named after. */
export const judgeTopics = {
  queue: 'your queue, the set-up, or the time for scores has changed: read them again',
  judgements: 'saved judgements of yours in `items`, with revision and device, from every device',
  sessions: 'teams with new log entries in `items`',
  'session:':
    'new entries and calls of a session in `items`, as in `GET /judging/sessions/{team}/{session_id}/items`; id and tool are URL-encoded',
} as const

export const judgeStreamQuerySchema = Type.Object({
  topics: Type.String({
    minLength: 1,
    maxLength: 4096,
    description: `Topics to subscribe to, separated by commas, at most ${maxTopics}: ${Object.entries(
      judgeTopics,
    )
      .map(
        ([name, text]) =>
          `\`${name}${name.endsWith(':') ? '{team}/{session_id}?tool={tool}' : ''}\` (${text})`,
      )
      .join('; ')}`,
    examples: ['queue,judgements'],
  }),
})

const listOf = (topic: string, item: TSchema) =>
  Type.Object(
    { ...replyHead, items: Type.Array(item), gone: Type.Array(Type.String()) },
    { description: `\`${topic}\`` },
  )

/** The `data` of each event. */
export const judgeStreamEventSchema = Type.Union(
  [
    ...streamPulse,
    Type.Object(
      { ...replyHead, changed_at: Type.String({ description: 'ISO 8601 in UTC' }) },
      { description: '`queue`' },
    ),
    listOf(
      'judgements',
      Type.Object({
        team: teamRefSchema,
        revision: Type.Integer(),
        state: Type.Enum([...judgementStates]),
        device: textOrNull('Of the last save'),
        saved_at: time,
      }),
    ),
    listOf(
      'sessions',
      Type.Object({
        team_id: teamRefSchema,
        entries: Type.Integer(),
        last_entry: textOrNull('When the last one was received, ISO 8601 in UTC'),
      }),
    ),
    listOf('session:', sessionItemSchema),
  ],
  { description: 'The `data` of each event, by its name', contentMediaType: 'text/event-stream' },
)

export type QueueReply = Static<typeof queueReplySchema>
export type QueueItem = QueueReply['items'][number]
export type JudgedSession = Static<typeof judgedSessionSchema>
export type PickReason = (typeof pickReasons)[number]
export type DossierReply = Static<typeof dossierReplySchema>
export type JudgedSessionsQuery = Static<typeof judgedSessionsQuerySchema>
export type JudgedSessionsReply = Static<typeof judgedSessionsReplySchema>
