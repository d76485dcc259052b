// Query and replies of GET /spend/logs on the admin door, in LiteLLM's format. GET /calls and GET /spend show more.
import Type, { type Static } from 'typebox'
import { teamIdSchema } from '../management/team-bodies.ts'
import { textOrNull } from './spend-members.ts'

/** LiteLLM returns as many rows and cuts the rest. */
export const maxSpendLogs = 10_000
export const maxSpendLogDays = 100

const day = (description: string) =>
  Type.Optional(Type.String({ maxLength: 10, description, examples: ['2026-11-21'] }))

export const spendLogsQuerySchema = Type.Object({
  start_date: day('First day, in UTC'),
  end_date: day('Last day, in UTC, all of it'),
  summarize: Type.Optional(
    Type.Boolean({ default: true, description: 'With both days: sums of each day instead of single calls' }),
  ),
  api_key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'Only calls made with this key: its SHA-256, alias or masked name',
    }),
  ),
  user_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 512, description: 'Only calls made with keys of this owner' }),
  ),
  request_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 512, description: 'Only this call: its `x-gateway-call-id`' }),
  ),
  team_id: Type.Optional(teamIdSchema),
})

const time = (description: string) => Type.String({ description: `${description}, ISO 8601 in UTC` })

export const spendLogSchema = Type.Object({
  request_id: Type.String({ description: 'The `x-gateway-call-id` of the answer' }),
  call_type: Type.String({ description: 'Kind of call, as `endpoint` of `GET /calls`' }),
  api_key: Type.String({ description: 'SHA-256 of the key' }),
  spend: Type.Number({ description: 'USD, after corrections' }),
  total_tokens: Type.Integer(),
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  startTime: time('When the request was received'),
  endTime: time('When the answer ended'),
  completionStartTime: textOrNull(
    'First byte of a streamed answer, ISO 8601 in UTC; null if it was not streamed',
  ),
  model: Type.String({ description: 'Catalog id of the model; the requested name if none was called' }),
  model_group: Type.String({ description: 'Model as requested' }),
  user: Type.String({ description: 'Owner of the key; empty if none was given' }),
  team_id: Type.String(),
  session_id: textOrNull('Session id sent by the tool'),
  requester_ip_address: textOrNull('IP address of the client'),
  cache_hit: Type.String({ description: 'Always `False`: answers are not cached' }),
  status: Type.Enum(['success', 'failure']),
  metadata: Type.Object({
    outcome: Type.String({ description: 'As in `GET /calls`' }),
    code: textOrNull('Error code returned to the client'),
    count: Type.Integer({
      description: 'Number of calls in this row: consecutive identical refusals are grouped',
    }),
  }),
})

const sums = (what: string) => Type.Record(Type.String(), Type.Number(), { description: `${what} → USD` })

export const spendDaySchema = Type.Object(
  {
    startTime: Type.String({ description: 'The day, in UTC', examples: ['2026-11-21'] }),
    spend: Type.Number({ description: 'USD' }),
    models: sums('Catalog id of the model'),
    users: sums('Owner of the keys, empty if none was given'),
  },
  { description: 'And one member for each key: its SHA-256 → USD' },
)

export const spendLogsSchema = Type.Union([Type.Array(spendLogSchema), Type.Array(spendDaySchema)])

export type SpendLogsQuery = Static<typeof spendLogsQuerySchema>
export type SpendLog = Static<typeof spendLogSchema>
export type SpendDay = Static<typeof spendDaySchema>
