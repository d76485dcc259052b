// What GET /spend/forecast tells: when the budget of each team ends at its present pace.
import Type, { type Static, type TSchema } from 'typebox'
import { teamIdSchema } from '../management/team-bodies.ts'
import { integerOrNull, textOrNull } from './spend-members.ts'

/** Minutes over which the pace is looked at. The middle one is the hour; the lowest and the highest of all are the ends of the range. */
export const paceWindows = [15, 60, 240] as const

export const forecastVerdicts = {
  no_budget: 'The team has no budget.',
  spent: 'Nothing is left.',
  runs_dry: 'The budget ends before its period does, at the pace of the last hour.',
  at_high_pace:
    'The budget lasts at the pace of the last hour, and ends before its period does at the highest pace.',
  lasts: 'Not at this pace: the budget lasts until its period ends, or nothing is being spent.',
} as const
export type ForecastVerdict = keyof typeof forecastVerdicts

export const forecastQuerySchema = Type.Object({ team_id: Type.Optional(teamIdSchema) })

const range = <Value extends TSchema>(description: string, value: Value) =>
  Type.Object({ low: value, mid: value, high: value }, { description })

export const teamForecastSchema = Type.Object({
  team_id: Type.String(),
  team_alias: Type.String(),
  budget_nano: integerOrNull('Of the present period, in nano-dollars; null without a budget'),
  spent_nano: Type.Integer({ description: 'In the present period' }),
  held_nano: Type.Integer({ description: 'Held for running calls' }),
  left_nano: integerOrNull('Budget less what is spent and held; null without a budget'),
  resets_at: textOrNull('When the period ends; null when it never does'),
  pace_nano_h: range(
    `Nano-dollars an hour: \`mid\` over the last hour, \`low\` and \`high\` the lowest and the highest over the last ${paceWindows.join(', ')} minutes`,
    integerOrNull('Null where the window lies before the period'),
  ),
  dry_at: range(
    'When the budget ends at each pace; null where it lasts until the period ends, or nothing is being spent',
    textOrNull('ISO 8601 in UTC'),
  ),
  verdict: Type.Enum(Object.keys(forecastVerdicts) as ForecastVerdict[], {
    description: Object.entries(forecastVerdicts)
      .map(([name, text]) => `\`${name}\`: ${text}`)
      .join(' '),
  }),
})

export const spendForecastSchema = Type.Object({
  as_of: Type.String({ description: 'When the server read the sums, ISO 8601 in UTC' }),
  version: Type.Integer({ description: 'Number of the last change of teams and keys that it knew' }),
  windows_minutes: Type.Array(Type.Integer(), { description: 'What the paces are taken over' }),
  items: Type.Array(teamForecastSchema, { description: 'Whose budget ends first comes first' }),
  next: Type.Null(),
})

export type TeamForecast = Static<typeof teamForecastSchema>
export type SpendForecast = Static<typeof spendForecastSchema>
