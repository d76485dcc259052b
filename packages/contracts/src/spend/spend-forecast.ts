// Reply of GET /spend/forecast: when each team's budget runs out at its current pace.
import Type, { type Static, type TSchema } from 'typebox'
import { teamIdSchema } from '../management/team-bodies.ts'
import { integerOrNull, textOrNull } from './spend-members.ts'

/** Windows in minutes from which the pace is measured. The middle one is the hour; the lowest and highest pace are the ends of the range. */
export const paceWindows = [15, 60, 240] as const

export const forecastVerdicts = {
  no_budget: 'The team has no budget.',
  spent: 'The budget is used up.',
  runs_dry: 'At the pace of the last hour, the budget runs out before its period ends.',
  at_high_pace:
    'The budget lasts at the pace of the last hour, but runs out before its period ends at the highest pace.',
  lasts: 'The budget lasts until its period ends, or nothing is being spent.',
} as const
export type ForecastVerdict = keyof typeof forecastVerdicts

export const forecastQuerySchema = Type.Object({ team_id: Type.Optional(teamIdSchema) })

const range = <Value extends TSchema>(description: string, value: Value) =>
  Type.Object({ low: value, mid: value, high: value }, { description })

export const teamForecastSchema = Type.Object({
  team_id: Type.String(),
  team_alias: Type.String(),
  budget_nano: integerOrNull('Budget of the current period, in nano-dollars; null if there is no budget'),
  spent_nano: Type.Integer({ description: 'Spent in the current period' }),
  held_nano: Type.Integer({ description: 'Held for running calls' }),
  left_nano: integerOrNull('Budget minus spend and holds; null if there is no budget'),
  resets_at: textOrNull('When the period ends; null if never'),
  pace_nano_h: range(
    `Nano-dollars per hour: \`mid\` over the last hour; \`low\` and \`high\` are the lowest and highest pace over the last ${paceWindows.join(', ')} minutes`,
    integerOrNull('Null if the window is before the period'),
  ),
  dry_at: range(
    'When the budget runs out at each pace; null if it lasts until the period ends or nothing is being spent',
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
  version: Type.Integer({
    description: 'Number of the last change to teams and keys that this reply includes',
  }),
  windows_minutes: Type.Array(Type.Integer(), { description: 'Windows from which the paces are measured' }),
  items: Type.Array(teamForecastSchema, { description: 'Earliest end of budget first' }),
  next: Type.Null(),
})

export type TeamForecast = Static<typeof teamForecastSchema>
export type SpendForecast = Static<typeof spendForecastSchema>
