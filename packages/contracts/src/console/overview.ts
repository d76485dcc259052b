// Reply of GET /overview: the event summary.
import Type, { type Static } from 'typebox'
import { integerOrNull, textOrNull } from '../spend/spend-members.ts'
import { numberOrNull, replyHead } from './figures.ts'
import { statesSchema } from './teams.ts'

/** Windows in minutes from which the pace for the event forecast is measured. */
export const forecastWindows = { low: 60, mid: 20, high: 10 } as const
/** Minutes of a phase that must pass before a forecast is more than a guess. */
export const earliestForecastMinutes = 15

export const overviewSchema = Type.Object({
  ...replyHead,
  spent_nano: Type.Integer({
    description: 'Spent by all teams over the whole event, including corrections, in nano-dollars',
  }),
  held_nano: Type.Integer({ description: 'Held for running calls' }),
  cap_nano: integerOrNull('Maximum that all teams together may spend; null if there is no cap'),
  forecast: Type.Union(
    [
      Type.Object({
        low_nano: Type.Integer(),
        mid_nano: Type.Integer(),
        high_nano: Type.Integer(),
        until: Type.String({ description: 'End of the current phase, ISO 8601 in UTC' }),
        basis: Type.String({ description: 'Data the forecast is based on' }),
      }),
      Type.Null(),
    ],
    {
      description: `Expected spend by the end of the current phase if the pace of the last ${forecastWindows.mid} minutes continues and no team exceeds its budget. Low and high: the lowest and highest pace over ${Object.values(forecastWindows).join(', ')} minutes. If null, \`why_no_forecast\` gives the reason.`,
    },
  ),
  why_no_forecast: textOrNull('Null if there is a forecast'),
  calls_per_min: Type.Number({
    description: 'Calls per minute that ended in the last five minutes, including refused ones',
  }),
  refused_share: numberOrNull('Share of these that were refused, from 0 to 1; null if there were no calls'),
  errors_share: numberOrNull(
    'Share of errors among the calls that were not refused; null if there were none',
  ),
  first_token_ms: Type.Object(
    { p50: integerOrNull('Median'), p95: integerOrNull('95th percentile') },
    {
      description:
        'From the receipt of a streamed call to the first byte of its answer; null if there were no such calls',
    },
  ),
  latency_ms: Type.Object(
    { p50: integerOrNull('Median'), p95: integerOrNull('95th percentile') },
    { description: 'Duration of calls that were not refused; null if there were none' },
  ),
  sample: Type.Object(
    { calls: Type.Integer(), seconds: Type.Integer() },
    { description: 'Sample for these figures: the newest recorded calls, at most 2,000' },
  ),
  running_calls: Type.Integer({ description: 'Paid calls running now, on all processes' }),
  open_streams: Type.Integer({ description: 'Running calls that are streaming their answer' }),
  coverage: numberOrNull(
    'Share of agent spend that the logs cover, over all teams with a known `coverage`; null if there is none yet',
  ),
  entries_per_min: Type.Number({ description: 'Log entries per minute over the last five minutes' }),
  teams: statesSchema,
  changed: textOrNull('When the last call was received, ISO 8601 in UTC; null before the first'),
})

export type Overview = Static<typeof overviewSchema>
