// What GET /overview tells: the whole event in some figures.
import Type, { type Static } from 'typebox'
import { integerOrNull, textOrNull } from '../spend/spend-members.ts'
import { numberOrNull, replyHead } from './figures.ts'
import { statesSchema } from './teams.ts'

/** Minutes over which the pace is taken for a forecast of the event. */
export const forecastWindows = { low: 60, mid: 20, high: 10 } as const
/** Before there is so much of a phase, a forecast would be a guess. */
export const earliestForecastMinutes = 15

export const overviewSchema = Type.Object({
  ...replyHead,
  spent_nano: Type.Integer({
    description: 'By all teams over the whole event, corrections included, in nano-dollars',
  }),
  held_nano: Type.Integer({ description: 'Held for running calls' }),
  cap_nano: integerOrNull('The most that all teams may spend; null without a cap'),
  forecast: Type.Union(
    [
      Type.Object({
        low_nano: Type.Integer(),
        mid_nano: Type.Integer(),
        high_nano: Type.Integer(),
        until: Type.String({ description: 'End of the present phase, ISO 8601 in UTC' }),
        basis: Type.String({ description: 'What it was made from' }),
      }),
      Type.Null(),
    ],
    {
      description: `What will be spent by the end of the present phase: the pace of the last ${forecastWindows.mid} minutes goes on, and no team spends more than its budget. Low and high: the lowest and highest of the paces of ${Object.values(forecastWindows).join(', ')} minutes. Null where \`why_no_forecast\` says why.`,
    },
  ),
  why_no_forecast: textOrNull('Null where there is a forecast'),
  calls_per_min: Type.Number({
    description: 'Calls that ended in the last five minutes, refused ones included',
  }),
  refused_share: numberOrNull('Of these, from 0 to 1; null without a call'),
  errors_share: numberOrNull('Of the calls among these that were not refused; null without one'),
  first_token_ms: Type.Object(
    { p50: integerOrNull('Median'), p95: integerOrNull('Of 95 in 100') },
    {
      description:
        'From the arrival of a streamed call to the first byte of its answer; null without such a call',
    },
  ),
  latency_ms: Type.Object(
    { p50: integerOrNull('Median'), p95: integerOrNull('Of 95 in 100') },
    { description: 'How long calls took that were not refused; null without one' },
  ),
  sample: Type.Object(
    { calls: Type.Integer(), seconds: Type.Integer() },
    { description: 'What these figures were taken from: the newest calls on record, 2,000 at most' },
  ),
  running_calls: Type.Integer({ description: 'Paid calls that run now, on all processes' }),
  open_streams: Type.Integer({ description: 'Those among them whose answer is being streamed' }),
  coverage: numberOrNull(
    'How much of what agents spent the logs cover, of all teams whose `coverage` is known; null while there is none',
  ),
  entries_per_min: Type.Number({ description: 'Log entries whose time lies in the last five minutes' }),
  teams: statesSchema,
  changed: textOrNull('When the last call came, ISO 8601 in UTC; null before the first'),
})

export type Overview = Static<typeof overviewSchema>
