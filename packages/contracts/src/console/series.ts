// Queries and replies of /series/latency and /series/entries: call durations and log entry counts over time.
import Type, { type Static } from 'typebox'
import { teamIdSchema } from '../management/team-bodies.ts'
import { integerOrNull, timeParameter } from '../spend/spend-members.ts'
import { type SeriesStep, seriesSteps } from '../spend/spend-report.ts'
import { replyHead } from './figures.ts'

/** Maximum steps of these series. */
export const maxConsoleSteps = 288
/** Maximum calls read for a latency series, over all its steps. */
export const maxLatencyCalls = 5000

const stepNames = Object.keys(seriesSteps) as SeriesStep[]
const range = {
  team_id: Type.Optional(teamIdSchema),
  from: timeParameter('from', 'Start, inclusive; default: four hours ago'),
  until: timeParameter('until', 'End, exclusive; default: now'),
  step: Type.Optional(
    Type.Enum(stepNames, {
      default: '10m',
      description: 'Length of a step; steps are aligned to UTC hours and days',
    }),
  ),
}

export const latencySeriesQuerySchema = Type.Object(range)
export const entriesSeriesQuerySchema = Type.Object({
  ...range,
  by: Type.Optional(
    Type.Enum(['team'], { description: 'One series per team; without it, one series for all teams' }),
  ),
})

const time = Type.String({ description: 'ISO 8601 in UTC' })
const head = { ...replyHead, step: Type.Enum(stepNames), from: time, until: time }

export const latencySeriesSchema = Type.Object({
  ...head,
  points: Type.Array(
    Type.Object({
      at: Type.String({ description: 'Start of the step, ISO 8601 in UTC' }),
      calls: Type.Integer({
        description: 'Calls that the figures of the step are based on: its newest ones',
      }),
      p50_ms: Type.Integer({ description: 'Median duration' }),
      p95_ms: Type.Integer({ description: '95th percentile' }),
      first_byte_p50_ms: integerOrNull(
        'Median time to the first byte of the answer, for calls that recorded it; otherwise null',
      ),
      first_byte_p95_ms: integerOrNull('95th percentile'),
    }),
    { description: 'Only steps with at least one call that was not refused, oldest first' },
  ),
})

export const entriesSeriesSchema = Type.Object({
  ...head,
  series: Type.Array(
    Type.Object({
      team_id: Type.Optional(Type.String()),
      entries: Type.Integer(),
      points: Type.Array(Type.Object({ at: time, entries: Type.Integer() }), {
        description: 'Only steps with entries, oldest first',
      }),
    }),
    { description: 'Series with the most entries first' },
  ),
})

export type LatencySeries = Static<typeof latencySeriesSchema>
export type EntriesSeries = Static<typeof entriesSeriesSchema>
export type LatencySeriesQuery = Static<typeof latencySeriesQuerySchema>
export type EntriesSeriesQuery = Static<typeof entriesSeriesQuerySchema>
