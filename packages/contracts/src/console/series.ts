// What /series/latency and /series/entries tell: how long calls took, and how many log entries there were, over time.
import Type, { type Static } from 'typebox'
import { teamIdSchema } from '../management/team-bodies.ts'
import { integerOrNull, timeParameter } from '../spend/spend-members.ts'
import { type SeriesStep, seriesSteps } from '../spend/spend-report.ts'
import { replyHead } from './figures.ts'

/** The most steps of these series. */
export const mostConsoleSteps = 288
/** Calls that a series of latencies looks at, over all its steps. */
export const mostLatencyCalls = 5000

const stepNames = Object.keys(seriesSteps) as SeriesStep[]
const range = {
  team_id: Type.Optional(teamIdSchema),
  from: timeParameter('From this time on; four hours ago when absent'),
  until: timeParameter('Before this time; now when absent'),
  step: Type.Optional(
    Type.Enum(stepNames, {
      default: '10m',
      description: 'How long a step is, in whole hours and days of UTC',
    }),
  ),
}

export const latencySeriesQuerySchema = Type.Object(range)
export const entriesSeriesQuerySchema = Type.Object({
  ...range,
  by: Type.Optional(
    Type.Enum(['team'], { description: 'One series for each team; without it, one for all' }),
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
        description: 'Calls that the figures of the step were taken from: its newest ones',
      }),
      p50_ms: Type.Integer({ description: 'How long they took: the median' }),
      p95_ms: Type.Integer({ description: 'Of 95 in 100' }),
      first_byte_p50_ms: integerOrNull('To the first byte of the answer, of those that tell it; else null'),
      first_byte_p95_ms: integerOrNull('Of 95 in 100'),
    }),
    { description: 'Only steps with a call that was not refused, oldest first' },
  ),
})

export const entriesSeriesSchema = Type.Object({
  ...head,
  series: Type.Array(
    Type.Object({
      team_id: Type.Optional(Type.String()),
      entries: Type.Integer(),
      points: Type.Array(Type.Object({ at: time, entries: Type.Integer() }), {
        description: 'Only steps with an entry, oldest first',
      }),
    }),
    { description: 'Those with the most entries first' },
  ),
})

export type LatencySeries = Static<typeof latencySeriesSchema>
export type EntriesSeries = Static<typeof entriesSeriesSchema>
export type LatencySeriesQuery = Static<typeof latencySeriesQuerySchema>
export type EntriesSeriesQuery = Static<typeof entriesSeriesQuerySchema>
