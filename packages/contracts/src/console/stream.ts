// What GET /stream takes: the topics that a reader asks for, and what each of them tells.
import Type, { type Static, type TSchema } from 'typebox'
import { callOutcomes } from '../calls/call.ts'
import { announcementSchema } from '../management/announcements.ts'
import { eventSchema } from '../management/event.ts'
import { readinessItemSchema } from '../management/readiness.ts'
import { textOrNull } from '../spend/spend-members.ts'
import { conditionSchema } from './attention.ts'
import { replyHead } from './figures.ts'
import { logbookEntrySchema } from './logbook.ts'
import { overviewSchema } from './overview.ts'
import { questionSchema } from './questions.ts'
import { sessionItemSchema } from './session-view.ts'
import { teamRowSchema } from './teams.ts'

/** `team:` is followed by the id of a team. */
export const streamTopics = {
  stats: 'the figures of `GET /overview`, at most once a second',
  teams: 'in `items` the rows of `GET /teams` that have changed, at most once a second',
  'team:': 'followed by the id of a team: its row, at most twice a second',
  attention: 'in `items` what `GET /attention` lists and has changed, every two seconds at most',
  messages:
    'in `items` the announcements of `GET /announcements` and the questions of `GET /questions` that have changed: all that wait, and the last 100 that were answered',
  readiness: 'in `items` the parts of `GET /readiness` that have changed, every ten seconds at most',
  sessions: 'in `items` each team that has new log entries, with their number and the time of the last one',
  event: 'what `GET /event` answers, when it changes',
  calls:
    'calls that have come on record, refused ones too, in batches, twice a second at most; a batch of more than 50 is told by its number alone',
  'calls:': 'the same of one team',
  entries:
    'log entries that have come, a line each as `GET /logbook` has them, in batches, every second at most; a batch of more than 50 is told by its number alone',
  'entries:': 'the same of one team',
  'session:':
    'new entries and calls of a session, as `GET /sessions/{team_id}/{session_id}/items` shows them, every second at most; id and tool are escaped as in an address. Without `?tool=` the sessions of this id of all tools',
} as const
export type TopicName = keyof typeof streamTopics

export const mostTopics = 32

const parameterOf = (name: string) =>
  name === 'session:' ? '{team_id}/{session_id}?tool={tool}' : '{team_id}'

export const streamQuerySchema = Type.Object({
  topics: Type.String({
    minLength: 1,
    maxLength: 4096,
    description: `What to be told of, separated by commas, ${mostTopics} topics at most: ${Object.entries(
      streamTopics,
    )
      .map(([name, text]) => `\`${name}${name.endsWith(':') ? parameterOf(name) : ''}\` (${text})`)
      .join('; ')}`,
    examples: ['stats,teams,event'],
  }),
})

/** Of a batch: above it only the number of calls is told. */
export const mostLiveCalls = 50

const liveCallSchema = Type.Object({
  call_id: Type.String(),
  team_id: Type.String(),
  received_at: Type.String(),
  ended_at: Type.String(),
  endpoint: Type.String(),
  model: textOrNull('That served it, or else was asked'),
  outcome: Type.Enum([...callOutcomes]),
  code: textOrNull('Of the error that the client was told'),
  explanation: textOrNull('What became of it in a sentence; null where all went well'),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  cost_nano: Type.Integer({ description: 'In nano-dollars' }),
  duration_ms: Type.Integer(),
  count: Type.Integer({ description: 'Calls that it stands for' }),
  key: Type.String({ description: 'SHA-256 of the key' }),
  key_alias: textOrNull('What the key is or was called'),
  tool: textOrNull('As its client names itself'),
  session_id: textOrNull('As its client names it'),
})

const callsBatchSchema = Type.Object({
  batch: Type.Integer({ description: 'One more than that of the batch before: a hole is what was missed' }),
  count: Type.Integer({ description: 'Calls that have come' }),
  items: Type.Array(liveCallSchema, {
    description: `Newest first; empty where there are more than ${mostLiveCalls}`,
  }),
})

/** Of a batch: above it only the number of entries is told. */
export const mostLiveEntries = 50

const entriesBatchSchema = Type.Object({
  batch: Type.Integer({ description: 'One more than that of the batch before: a hole is what was missed' }),
  count: Type.Integer({
    description: 'Entries that have come; 0 in the batch with which the following begins',
  }),
  items: Type.Array(logbookEntrySchema, {
    description: `The one that was stored last comes first; empty where there are more than ${mostLiveEntries}`,
  }),
})

const things = (topic: TopicName, item: TSchema) =>
  Type.Object(
    {
      ...replyHead,
      items: Type.Array(item, { description: 'What is new or has changed' }),
      gone: Type.Array(Type.String(), { description: 'Ids of those that are there no more' }),
    },
    { description: `\`${topic}\`` },
  )

const { as_of: _, version: __, ...eventMembers } = eventSchema.properties

/** The `data` of each event. */
export const streamEventSchema = Type.Union(
  [
    Type.Object(
      {
        now: Type.String({ description: 'The time of the server, ISO 8601 in UTC' }),
        stale: Type.Array(Type.String(), { description: 'Topics that could not be read the last time' }),
      },
      { description: '`beat`' },
    ),
    Type.Object(
      { kept_seconds: Type.Integer({ description: 'For how long a place is kept' }) },
      { description: '`reset`' },
    ),
    Type.Object(overviewSchema.properties, { description: '`stats`' }),
    things('teams', teamRowSchema),
    Type.Object({ ...replyHead, ...teamRowSchema.properties }, { description: '`team:{team_id}`' }),
    things('attention', conditionSchema),
    things('messages', Type.Union([announcementSchema, questionSchema])),
    things('readiness', readinessItemSchema),
    things(
      'sessions',
      Type.Object({
        team_id: Type.String(),
        entries: Type.Integer({ description: 'Log entries of the team' }),
        last_entry: textOrNull('When the last one was received, ISO 8601 in UTC'),
      }),
    ),
    Type.Object(
      { ...replyHead, ...eventMembers, settings_version: eventSchema.properties.version },
      { description: '`event`' },
    ),
    things('calls', callsBatchSchema),
    things('entries', entriesBatchSchema),
    things('session:', sessionItemSchema),
  ],
  { description: 'The `data` of each event, by its name', contentMediaType: 'text/event-stream' },
)

export type LiveCall = Static<typeof liveCallSchema>
export type StreamQuery = Static<typeof streamQuerySchema>
