// Queries and replies of GET /spend and /series/spend: spend by team, key, model or refusal, for any range and over time.
import Type, { type Static } from 'typebox'
import { plainText } from '../management/owner-fields.ts'
import { teamIdSchema } from '../management/team-bodies.ts'
import { textOrNull, timeParameter } from './spend-members.ts'

/** Groupings for spend sums. */
export const spendGroupings = ['team', 'member', 'key', 'model', 'code'] as const
export type SpendGrouping = (typeof spendGroupings)[number]

/** Maximum and default number of groups on a page. */
export const maximumReportPage = 500
export const defaultReportPage = 100

/** Filters for the calls in a report. */
export const spendFilters = {
  team_id: Type.Optional(teamIdSchema),
  key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'Only calls made with this key: its SHA-256, alias or masked name',
    }),
  ),
  model: Type.Optional(
    plainText({ minLength: 1, description: 'Only calls served by the model with this id' }),
  ),
  from: timeParameter('from', 'Only calls received at or after this time'),
  until: timeParameter('until', 'Only calls received before this time'),
}

export const spendReportQuerySchema = Type.Object({
  by: Type.Optional(
    Type.Enum([...spendGroupings], {
      default: 'team',
      description:
        'Grouping. `member`: the keys of each member together, and all keys without a member as one item. `code`: only refused calls, by error code.',
    }),
  ),
  ...spendFilters,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maximumReportPage, default: defaultReportPage, examples: [20] }),
  ),
  after: Type.Optional(Type.String({ maxLength: 1024, description: '`next` of the previous page' })),
})

/** Identifies the group; members that the grouping does not determine are absent. */
const identity = {
  team_id: Type.Optional(Type.String()),
  team_alias: Type.Optional(textOrNull('Display name of the team; null if the team no longer exists')),
  member_id: Type.Optional(textOrNull('Member who owns the keys; null for keys without a member')),
  member_name: Type.Optional(textOrNull('Name of the member; null for keys without a member')),
  key: Type.Optional(Type.String({ description: 'SHA-256 of the key, 64 hex digits' })),
  key_name: Type.Optional(
    textOrNull('The key, masked except for its last four characters; kept after deletion'),
  ),
  key_alias: Type.Optional(textOrNull('Display name of the key; kept after deletion')),
  model: Type.Optional(textOrNull('Model id; null for calls refused before a model was known')),
  code: Type.Optional(Type.String({ description: 'Error code with which the calls were refused' })),
}

const figures = {
  calls: Type.Integer({ description: 'Charged calls' }),
  refused: Type.Integer({ description: 'Calls refused before a model was called' }),
  cost_nano: Type.Integer({
    description: 'Charges minus refunds, in nano-dollars (1e-9 USD)',
  }),
}

const asOf = Type.String({ description: 'When the server read the sums, ISO 8601 in UTC' })
const version = Type.Integer({
  description: 'Number of the last change to teams and keys that this reply includes',
})

export const spendTotalSchema = Type.Object({
  count: Type.Integer({ description: 'Number of items on all pages' }),
  ...figures,
  exact: Type.Boolean({ description: 'Always true: sums are computed from the rows' }),
})

export const spendReportItemSchema = Type.Object({ ...identity, ...figures })

export const spendReportSchema = Type.Object({
  as_of: asOf,
  version,
  by: Type.Enum([...spendGroupings]),
  from: textOrNull('As requested; null if from the first call on'),
  until: textOrNull('As requested; null if up to now'),
  uncharged_nano: Type.Integer({
    description:
      "Usage that the provider reported above the calls' holds and that was not charged, over all time: for the requested team, otherwise for all teams",
  }),
  items: Type.Array(spendReportItemSchema, { description: 'Highest cost first, then most refused' }),
  next: textOrNull('Pass it as `after` for the next page; null on the last page'),
  total: spendTotalSchema,
})

/** Steps of a series in minutes: multiples of the five-minute bucket that divide a day. */
export const seriesSteps = {
  '5m': 5,
  '10m': 10,
  '15m': 15,
  '20m': 20,
  '30m': 30,
  '1h': 60,
  '2h': 120,
  '3h': 180,
  '4h': 240,
  '6h': 360,
  '8h': 480,
  '12h': 720,
  '1d': 1440,
} as const
export type SeriesStep = keyof typeof seriesSteps

/** Maximum steps of a series, and maximum groups shown separately in one. */
export const maxSteps = 2000
export const maxGroups = 200

export const spendSeriesQuerySchema = Type.Object({
  step: Type.Optional(
    Type.Enum(Object.keys(seriesSteps) as SeriesStep[], {
      default: '10m',
      description: 'Length of a step',
    }),
  ),
  by: Type.Optional(
    Type.Enum([...spendGroupings], { description: 'One series per group; without it, one series in total' }),
  ),
  ...spendFilters,
  time_zone: Type.Optional(
    Type.String({
      maxLength: 64,
      default: 'UTC',
      description: 'IANA name of the time zone to which steps are aligned',
      examples: ['Asia/Seoul'],
    }),
  ),
})

export const spendPointSchema = Type.Object({
  at: Type.String({ description: 'Start of the step, ISO 8601 in UTC' }),
  ...figures,
})

export const spendSeriesSchema = Type.Object({
  as_of: asOf,
  version,
  step: Type.Enum(Object.keys(seriesSteps) as SeriesStep[]),
  by: Type.Union([Type.Enum([...spendGroupings]), Type.Null()], {
    description: 'Grouping of the series; null for a single series',
  }),
  time_zone: Type.String(),
  from: textOrNull('Start of the first step; null if nothing was spent'),
  until: textOrNull('End of the last step; null if nothing was spent'),
  series: Type.Array(
    Type.Object({
      ...identity,
      ...figures,
      points: Type.Array(spendPointSchema, { description: 'Only steps with calls, oldest first' }),
    }),
    { description: 'Highest cost first' },
  ),
  gaps: Type.Array(Type.Object({ from: Type.String(), until: Type.String() }), {
    description: 'Periods in which no series has a call',
  }),
  total: spendTotalSchema,
})

export type SpendReportQuery = Static<typeof spendReportQuerySchema>
export type SpendReport = Static<typeof spendReportSchema>
export type SpendReportItem = Static<typeof spendReportItemSchema>
export type SpendSeriesQuery = Static<typeof spendSeriesQuerySchema>
export type SpendSeries = Static<typeof spendSeriesSchema>
