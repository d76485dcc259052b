// Query and events of GET /stream: the topics that a client can subscribe to and the data of each.
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
import { streamTopics, type TopicName } from './topics.ts'

export const maxTopics = 32

const parameterOf = (name: string) =>
  name === 'session:' ? '{team_id}/{session_id}?tool={tool}' : '{team_id}'

export const streamQuerySchema = Type.Object({
  topics: Type.String({
    minLength: 1,
    maxLength: 4096,
    description: `Topics to subscribe to, separated by commas, at most ${maxTopics}: ${Object.entries(
      streamTopics,
    )
      .map(([name, text]) => `\`${name}${name.endsWith(':') ? parameterOf(name) : ''}\` (${text})`)
      .join('; ')}`,
    examples: ['stats,teams,event'],
  }),
})

/** Maximum calls listed in a batch; larger batches have only their count. */
export const maxLiveCalls = 50

const liveCallSchema = Type.Object({
  call_id: Type.String(),
  team_id: Type.String(),
  received_at: Type.String(),
  ended_at: Type.String(),
  endpoint: Type.String(),
  model: textOrNull('Model that served the call, otherwise the requested one'),
  outcome: Type.Enum([...callOutcomes]),
  code: textOrNull('Error code returned to the client'),
  explanation: textOrNull('Outcome in one sentence; null on success'),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  cost_nano: Type.Integer({ description: 'In nano-dollars' }),
  duration_ms: Type.Integer(),
  count: Type.Integer({ description: 'Number of calls in this item' }),
  key: Type.String({ description: 'SHA-256 of the key' }),
  key_alias: textOrNull('Current or former name of the key'),
  tool: textOrNull('As the client identifies itself'),
  session_id: textOrNull('As named by the client'),
})

const callsBatchSchema = Type.Object({
  batch: Type.Integer({
    description: 'Number of the batch, one higher than the previous batch; a gap means missed batches',
  }),
  count: Type.Integer({ description: 'Calls in the batch' }),
  items: Type.Array(liveCallSchema, {
    description: `Newest first; empty if there are more than ${maxLiveCalls}`,
  }),
})

/** Maximum entries listed in a batch; larger batches have only their count. */
export const maxLiveEntries = 50

const entriesBatchSchema = Type.Object({
  batch: Type.Integer({
    description: 'Number of the batch, one higher than the previous batch; a gap means missed batches',
  }),
  count: Type.Integer({
    description: 'Entries in the batch; 0 in the first batch of a subscription',
  }),
  items: Type.Array(logbookEntrySchema, {
    description: `Last stored first; empty if there are more than ${maxLiveEntries}`,
  }),
})

const things = (topic: TopicName, item: TSchema) =>
  Type.Object(
    {
      ...replyHead,
      items: Type.Array(item, { description: 'New and changed items' }),
      gone: Type.Array(Type.String(), { description: 'Ids of items that no longer exist' }),
    },
    { description: `\`${topic}\`` },
  )

const { as_of: _, version: __, ...eventMembers } = eventSchema.properties

/** Data of the events that every stream has. */
export const streamPulse = [
  Type.Object(
    {
      now: Type.String({ description: 'Server time, ISO 8601 in UTC' }),
      stale: Type.Array(Type.String(), { description: 'Topics that failed to read last time' }),
    },
    { description: '`beat`' },
  ),
  Type.Object(
    { kept_seconds: Type.Integer({ description: 'How long stream positions are kept' }) },
    { description: '`reset`' },
  ),
] as const

/** The `data` of each event. */
export const streamEventSchema = Type.Union(
  [
    ...streamPulse,
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
    things(
      'submissions',
      Type.Object({
        team_id: Type.String(),
        version: Type.Integer({ description: 'Number of versions' }),
        handed_in_at: Type.String({ description: 'ISO 8601 in UTC' }),
      }),
    ),
    Type.Object(
      { ...replyHead, records: Type.Integer({ description: 'Records of judging' }) },
      { description: '`judging`' },
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
