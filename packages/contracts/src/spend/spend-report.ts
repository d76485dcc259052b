// What GET /spend and /series/spend tell: sums of spend by team, key, model or refusal, over any range and over time.
import Type, { type Static } from 'typebox'
import { plainText } from '../management/owner-fields.ts'
import { teamIdSchema } from '../management/team-bodies.ts'
import { textOrNull, timeParameter } from './spend-members.ts'

/** What spend can be summed by. */
export const spendGroupings = ['team', 'member', 'key', 'model', 'code'] as const
export type SpendGrouping = (typeof spendGroupings)[number]

/** The most groups on a page, and the default. */
export const maximumReportPage = 500
export const defaultReportPage = 100

/** Which calls a report is about. */
export const spendFilters = {
  team_id: Type.Optional(teamIdSchema),
  key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'Only calls of this key: its SHA-256, its alias or masked name',
    }),
  ),
  model: Type.Optional(plainText({ minLength: 1, description: 'Only calls served by the model of this id' })),
  from: timeParameter('Only calls that came at this time or later'),
  until: timeParameter('Only calls that came before this time'),
}

export const spendReportQuerySchema = Type.Object({
  by: Type.Optional(
    Type.Enum([...spendGroupings], {
      default: 'team',
      description:
        'What to sum by. `member`: the keys of each member together, and all keys without a member as one item. `code`: only refused calls, by the code of the error.',
    }),
  ),
  ...spendFilters,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maximumReportPage, default: defaultReportPage, examples: [20] }),
  ),
  after: Type.Optional(Type.String({ maxLength: 1024, description: 'The `next` of the page before' })),
})

/** Whose sum it is; members that the grouping does not tell are absent. */
const identity = {
  team_id: Type.Optional(Type.String()),
  team_alias: Type.Optional(textOrNull('Name of the team for people; null when it is not there any more')),
  member_id: Type.Optional(textOrNull('The member whose keys they are; null for keys without a member')),
  member_name: Type.Optional(textOrNull('Name of the member; null for keys without a member')),
  key: Type.Optional(Type.String({ description: 'SHA-256 of the key, 64 hex digits' })),
  key_name: Type.Optional(textOrNull('The key with only its last four characters; a deleted key keeps it')),
  key_alias: Type.Optional(textOrNull('Its name for people; a deleted key keeps it')),
  model: Type.Optional(
    textOrNull('The id of the model; null for calls that were refused before a model was known'),
  ),
  code: Type.Optional(Type.String({ description: 'Of the error that refused the calls' })),
}

const figures = {
  calls: Type.Integer({ description: 'Calls that were charged' }),
  refused: Type.Integer({ description: 'Calls that were refused before a model was asked' }),
  cost_nano: Type.Integer({
    description: 'What was charged less what was refunded, in nano-dollars (1e-9 USD)',
  }),
}

const asOf = Type.String({ description: 'When the server read the sums, ISO 8601 in UTC' })
const version = Type.Integer({ description: 'Number of the last change of teams and keys that it knew' })

export const spendTotalSchema = Type.Object({
  count: Type.Integer({ description: 'How many items there are over all pages' }),
  ...figures,
  exact: Type.Boolean({ description: 'Always true: sums are those of the rows' }),
})

export const spendReportItemSchema = Type.Object({ ...identity, ...figures })

export const spendReportSchema = Type.Object({
  as_of: asOf,
  version,
  by: Type.Enum([...spendGroupings]),
  from: textOrNull('As asked; null for the first call on'),
  until: textOrNull('As asked; null for all up to now'),
  uncharged_nano: Type.Integer({
    description:
      'Reported by the provider above the holds of calls and not charged: of the team as asked, else of all, over all time',
  }),
  items: Type.Array(spendReportItemSchema, { description: 'The dearest first, then the most refused' }),
  next: textOrNull('Pass it as `after` for the next page; null on the last page'),
  total: spendTotalSchema,
})

/** Steps of a series, whole buckets of five minutes that divide a day. */
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

/** The most steps of a series, and the most groups that are told apart in one. */
export const mostSteps = 2000
export const mostGroups = 200

export const spendSeriesQuerySchema = Type.Object({
  step: Type.Optional(
    Type.Enum(Object.keys(seriesSteps) as SeriesStep[], {
      default: '10m',
      description: 'How long a step is',
    }),
  ),
  by: Type.Optional(
    Type.Enum([...spendGroupings], { description: 'One series for each; without it, one for all' }),
  ),
  ...spendFilters,
  time_zone: Type.Optional(
    Type.String({
      maxLength: 64,
      default: 'UTC',
      description: 'IANA name of the zone whose hours and days the steps follow',
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
    description: 'What each series is of; null for one of all',
  }),
  time_zone: Type.String(),
  from: textOrNull('Start of the first step that is looked at; null when nothing was spent'),
  until: textOrNull('Where the last step ends; null when nothing was spent'),
  series: Type.Array(
    Type.Object({
      ...identity,
      ...figures,
      points: Type.Array(spendPointSchema, { description: 'Only steps with a call, oldest first' }),
    }),
    { description: 'The dearest first' },
  ),
  gaps: Type.Array(Type.Object({ from: Type.String(), until: Type.String() }), {
    description: 'Where no series has a call',
  }),
  total: spendTotalSchema,
})

export type SpendReportQuery = Static<typeof spendReportQuerySchema>
export type SpendReport = Static<typeof spendReportSchema>
export type SpendReportItem = Static<typeof spendReportItemSchema>
export type SpendSeriesQuery = Static<typeof spendSeriesQuerySchema>
export type SpendSeries = Static<typeof spendSeriesSchema>
