// What GET /teams tells: each team with its state, lights, money and pace, as an organiser watches them.
import Type, { type Static } from 'typebox'
import { plainText } from '../management/owner-fields.ts'
import { integerOrNull, textOrNull } from '../spend/spend-members.ts'
import { cursorQuery, nextCursor, numberOrNull, replyHead } from './figures.ts'

/** The first one that holds is the state of the team, and this is also the order of attention. */
export const teamStates = {
  budget_spent: 'Nothing is left of the budget.',
  refused_now:
    'In this bucket of five minutes and the one before, 20 calls were refused, or 5 that are a tenth of all.',
  near_budget: 'Less than a tenth of the budget is left.',
  recorder_silent: 'Calls came in the last 15 minutes, five at least, and no log entry.',
  blocked: 'An organiser has blocked the team.',
  not_started: 'There is neither a call nor a log entry yet.',
  quiet: 'The gateway is open, and for 30 minutes there was neither a call nor a log entry.',
  working: 'None of the others.',
} as const
export type TeamState = keyof typeof teamStates

export const lightStates = {
  ok: 'as it should be',
  none: 'not yet',
  warn: 'went wrong',
  blocked: 'stopped by an organiser',
} as const
export type LightState = keyof typeof lightStates

export const lightSchema = Type.Object({
  s: Type.Enum(Object.keys(lightStates) as LightState[], {
    description: Object.entries(lightStates)
      .map(([name, text]) => `\`${name}\`: ${text}`)
      .join('; '),
  }),
  since: textOrNull('Of what it is judged by, ISO 8601 in UTC; null where there is nothing yet'),
  text: Type.String({ description: 'The same in a sentence' }),
})

/** Steps of ten minutes, the present one last. */
export const sparkSteps = 24

export const teamRowSchema = Type.Object({
  team_id: Type.String(),
  team_alias: Type.String(),
  state: Type.Enum(Object.keys(teamStates) as TeamState[], {
    description: `The first that holds of: ${Object.entries(teamStates)
      .map(([name, text]) => `\`${name}\`: ${text}`)
      .join(' ')}`,
  }),
  lights: Type.Object(
    { key: lightSchema, call: lightSchema, rec: lightSchema, log: lightSchema },
    {
      description:
        'Whether a key is usable; whether a call has succeeded in the present phase; whether the recorder is heard; whether the log explains the spend, as far as `coverage` is known: `warn` below six tenths.',
    },
  ),
  budget_nano: integerOrNull(
    'Of the present period, with what was granted, in nano-dollars; null without a budget',
  ),
  granted_nano: Type.Integer({
    description: 'Granted by organisers in the present period, a part of the budget',
  }),
  spent_nano: Type.Integer({ description: 'In the present period' }),
  held_nano: Type.Integer({ description: 'Held for running calls' }),
  uncharged_nano: Type.Integer({
    description: 'Reported by the provider above the holds of calls and not charged, over all time',
  }),
  left_nano: integerOrNull('Budget less what is spent: what is held comes back. Null without a budget.'),
  pace_nano_h: integerOrNull(
    'Nano-dollars an hour, over the last hour; null in the first minute of a period',
  ),
  dry_at: textOrNull(
    'In which minute the budget ends at that pace; null where it lasts until its period ends',
  ),
  spark: Type.Array(Type.Integer(), {
    description: `Nano-dollars spent in each of the last ${sparkSteps} steps of ten minutes, the present one last`,
  }),
  calls: Type.Integer({
    description: 'Charged in the present phase, or in the last 24 hours where there is none',
  }),
  refused_1h: Type.Integer({
    description: 'Calls refused in the last hour, in whole buckets of five minutes',
  }),
  last_call: textOrNull('When the last call came, refused ones included, ISO 8601 in UTC'),
  last_entry: textOrNull('When the last log entry was received, ISO 8601 in UTC'),
  entries: Type.Integer({ description: 'Log entries of the team' }),
  coverage: numberOrNull(
    'How much of what its agents spent the log covers, from 0 to 1, as `GET /coverage` tells it; null where there is too little to judge, and until it is known: it is read in the background while somebody watches',
  ),
  coverage_as_of: textOrNull('When that was read, ISO 8601 in UTC; minutes ago where there are many teams'),
  people: Type.Integer({ description: 'Members of the team' }),
  keys: Type.Integer({ description: 'Keys that work' }),
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
      description: '`attention`: by state, then those that spent most. What has no value stands last.',
    }),
  ),
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], { default: 'asc', description: 'Of any sort but `attention`' }),
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
      description: 'Only teams whose id, name or member has this text, in any case',
    }),
  ),
  team_id: Type.Optional(
    plainText({ minLength: 1, description: 'Only the team with this id; none where there is no such team' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: defaultTeamsPage, examples: [20] })),
  after: cursorQuery,
})

const countsByState = Object.fromEntries(
  Object.keys(teamStates).map(state => [state, Type.Integer({ minimum: 0 })]),
) as Record<TeamState, ReturnType<typeof Type.Integer>>

export const statesSchema = Type.Object(countsByState, { description: 'How many teams are in each state' })

export const teamsReplySchema = Type.Object({
  ...replyHead,
  items: Type.Array(teamRowSchema),
  next: nextCursor,
  total: Type.Object({
    count: Type.Integer({ description: 'Teams that pass `state` and `q`' }),
    exact: Type.Boolean({ description: 'Always true' }),
  }),
  states: statesSchema,
})

export type TeamLight = Static<typeof lightSchema>
export type TeamRow = Static<typeof teamRowSchema>
export type TeamsQuery = Static<typeof teamsQuerySchema>
export type TeamsReply = Static<typeof teamsReplySchema>
