// Query and reply of GET /teams: each team with its state, lights, budget and pace.
import Type, { type Static } from 'typebox'
import { plainText } from '../management/owner-fields.ts'
import { integerOrNull, textOrNull } from '../spend/spend-members.ts'
import { cursorQuery, nextCursor, numberOrNull, replyHead } from './figures.ts'

/** State of a team → its condition. The first condition that is true decides; this is also the order of attention. */
export const teamStates = {
  budget_spent: 'The budget is used up.',
  refused_now:
    'In the current and previous five-minute bucket, at least 20 calls were refused, or at least 5 that make up a tenth of all calls.',
  near_budget: 'Less than 10% of the budget is left.',
  recorder_silent: 'At least five calls but no log entries arrived in the last 15 minutes.',
  blocked: 'An organiser blocked the team.',
  not_started: 'There are no calls or log entries yet.',
  quiet: 'The gateway is open, but there were no calls or log entries for 30 minutes.',
  working: 'None of the above.',
} as const
export type TeamState = keyof typeof teamStates

export const lightStates = {
  ok: 'working',
  none: 'not yet',
  warn: 'problem',
  blocked: 'stopped by an organiser',
} as const
export type LightState = keyof typeof lightStates

export const lightSchema = Type.Object({
  s: Type.Enum(Object.keys(lightStates) as LightState[], {
    description: Object.entries(lightStates)
      .map(([name, text]) => `\`${name}\`: ${text}`)
      .join('; '),
  }),
  since: textOrNull('Time of the event that decided the state, ISO 8601 in UTC; null if there is none yet'),
  text: Type.String({ description: 'The state in one sentence' }),
})

/** Number of ten-minute steps, the current one last. */
export const sparkSteps = 24

export const teamRowSchema = Type.Object({
  team_id: Type.String(),
  team_alias: Type.String(),
  state: Type.Enum(Object.keys(teamStates) as TeamState[], {
    description: `The first state that applies: ${Object.entries(teamStates)
      .map(([name, text]) => `\`${name}\`: ${text}`)
      .join(' ')}`,
  }),
  lights: Type.Object(
    { key: lightSchema, call: lightSchema, rec: lightSchema, log: lightSchema },
    {
      description:
        'Whether a key is usable, a call has succeeded in the current phase, the recorder is reporting, and the log explains the spend (`warn` if `coverage` is known and below 60%).',
    },
  ),
  budget_nano: integerOrNull(
    'Budget of the current period, including grants, in nano-dollars; null if there is no budget',
  ),
  granted_nano: Type.Integer({
    description: 'Granted by organisers in the current period; included in the budget',
  }),
  spent_nano: Type.Integer({ description: 'Spent in the current period' }),
  held_nano: Type.Integer({ description: 'Held for running calls' }),
  uncharged_nano: Type.Integer({
    description:
      "Usage that the provider reported above the calls' holds and that was not charged, over all time",
  }),
  left_nano: integerOrNull(
    'Budget minus spend; holds are not subtracted, since they are released. Null if there is no budget.',
  ),
  pace_nano_h: integerOrNull(
    'Nano-dollars per hour, over the last hour; null in the first minute of a period',
  ),
  dry_at: textOrNull(
    'Minute in which the budget runs out at that pace; null if it lasts until its period ends',
  ),
  spark: Type.Array(Type.Integer(), {
    description: `Nano-dollars spent in each of the last ${sparkSteps} ten-minute steps, the current one last`,
  }),
  calls: Type.Integer({
    description: 'Calls charged in the current phase, or in the last 24 hours if there is no phase',
  }),
  refused_1h: Type.Integer({
    description: 'Calls refused in the last hour, in whole five-minute buckets',
  }),
  last_call: textOrNull('When the last call was received, including refused ones, ISO 8601 in UTC'),
  last_entry: textOrNull('When the last log entry was received, ISO 8601 in UTC'),
  entries: Type.Integer({ description: 'Log entries of the team' }),
  coverage: numberOrNull(
    'Share of agent spend that the log covers, from 0 to 1, as in `GET /coverage`; null if there is too little data or it has not been read yet. Read in the background while the console is open',
  ),
  coverage_as_of: textOrNull(
    'When the coverage was read, ISO 8601 in UTC; can be minutes old if there are many teams',
  ),
  people: Type.Integer({ description: 'Members of the team' }),
  keys: Type.Integer({ description: 'Working keys' }),
  board_locked: Type.Boolean({ description: 'Whether its board refuses new entries' }),
})

export const teamSorts = [
  'attention',
  'team_id',
  'team_alias',
  'spent_nano',
  'left_nano',
  'pace_nano_h',
  'dry_at',
  'calls',
  'refused_1h',
  'last_call',
  'last_entry',
  'coverage',
] as const
export type TeamSort = (typeof teamSorts)[number]

export const defaultTeamsPage = 100

export const teamsQuerySchema = Type.Object({
  sort: Type.Optional(
    Type.Enum([...teamSorts], {
      default: 'attention',
      description: '`attention`: by state, then highest spend first. Teams without a value come last.',
    }),
  ),
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], { default: 'asc', description: 'Applies to every sort except `attention`' }),
  ),
  state: Type.Optional(
    Type.String({
      maxLength: 256,
      description: `Only teams in these states, separated by commas: ${Object.keys(teamStates).join(', ')}`,
      examples: ['budget_spent,near_budget'],
    }),
  ),
  q: Type.Optional(
    plainText({
      minLength: 1,
      description: 'Only teams with this text in their id, name or members, ignoring case',
    }),
  ),
  team_id: Type.Optional(
    plainText({ minLength: 1, description: 'Only the team with this id; empty if there is no such team' }),
  ),
  hidden: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'true: instead lists the teams that `POST /team/delete` has hidden',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: defaultTeamsPage, examples: [20] })),
  after: cursorQuery,
})

const countsByState = Object.fromEntries(
  Object.keys(teamStates).map(state => [state, Type.Integer({ minimum: 0 })]),
) as Record<TeamState, ReturnType<typeof Type.Integer>>

export const statesSchema = Type.Object(countsByState, { description: 'Number of teams in each state' })

export const teamsReplySchema = Type.Object({
  ...replyHead,
  items: Type.Array(teamRowSchema),
  next: nextCursor,
  total: Type.Object({
    count: Type.Integer({ description: 'Teams that match `state` and `q`' }),
    exact: Type.Boolean({ description: 'Always true' }),
  }),
  states: statesSchema,
})

export type TeamLight = Static<typeof lightSchema>
export type TeamRow = Static<typeof teamRowSchema>
export type TeamsQuery = Static<typeof teamsQuerySchema>
export type TeamsReply = Static<typeof teamsReplySchema>
