// Forecasts what all teams will have spent by the end of the phase. Each continues at its pace, and none beyond its budget.
import {
  earliestForecastMinutes,
  forecastWindows,
  type Overview,
} from '@fairgate/contracts/console/overview.ts'
import { bucketMs } from '../../store/schema/spend.ts'

const minuteMs = 60_000

export type SpendingTeam = {
  /** Nano-dollars left of its budget; null without a budget. */
  readonly unspent: number | null
  readonly buckets: readonly { readonly start: number; readonly cost: number }[]
}

export type EventNow = {
  /** Unix ms. */
  readonly now: number
  /** Nano-dollars, by all teams. */
  readonly spent: number
  /** The current phase (Unix ms); null between phases, and if there are none. */
  readonly phase: { readonly from: number; readonly until: number | null } | null
  readonly teams: readonly SpendingTeam[]
}

export function forecastEvent({
  now,
  spent,
  phase,
  teams,
}: EventNow): Pick<Overview, 'forecast' | 'why_no_forecast'> {
  if (phase === null) return none('No phase of the event covers this time.')
  const { from, until } = phase
  if (until === null) return none('The current phase has no end.')
  if (now - from < earliestForecastMinutes * minuteMs) return none('It is too early to say.')
  const endAt = (minutes: number): number => {
    const since = Math.max(Math.floor((now - minutes * minuteMs) / bucketMs) * bucketMs, from)
    const ratio = (until - now) / (now - since)
    return teams.reduce((sum, { unspent, buckets }) => {
      const cost = buckets.reduce((own, bucket) => (bucket.start >= since ? own + bucket.cost : own), 0)
      const more = Math.max(0, Math.round(cost * ratio))
      return sum + (unspent === null ? more : Math.min(more, Math.max(0, unspent)))
    }, spent)
  }
  const ends = [endAt(forecastWindows.low), endAt(forecastWindows.mid), endAt(forecastWindows.high)]
  return {
    forecast: {
      low_nano: Math.min(...ends),
      mid_nano: ends[1] ?? spent,
      high_nano: Math.max(...ends),
      until: new Date(until).toISOString(),
      basis: `the pace of the last ${forecastWindows.mid} minutes, in whole buckets of five`,
    },
    why_no_forecast: null,
  }
}

function none(why_no_forecast: string): Pick<Overview, 'forecast' | 'why_no_forecast'> {
  return { forecast: null, why_no_forecast }
}
