// Forecasts when a team's budget ends at its current pace. Three paces, and their results.
import { paceWindows, type TeamForecast } from '@fairgate/contracts/spend/spend-forecast.ts'
import { bucketMs } from '../../store/schema/spend.ts'
import type { SumSpendInput } from '../../store/statements/spend-sums.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

export type BudgetNow = {
  readonly now: number
  /** Nano-dollars; null without a budget. */
  readonly budget: number | null
  readonly spent: number
  readonly held: number
  /** Unix ms. The end is null if the period never ends. */
  readonly periodStart: number
  readonly periodEnd: number | null
  /** Spend by bucket, over at least the longest window. */
  readonly buckets: readonly { readonly start: number; readonly cost: number }[]
}

type Forecast = Pick<TeamForecast, 'left_nano' | 'pace_nano_h' | 'dry_at' | 'verdict'>

/** The sums that are needed, of a team or of all. One question for every reader, so that it is read once. */
export function askPace(now: number, teamId: string | null = null): SumSpendInput {
  const from = startOf(now, Math.max(...paceWindows))
  return { from, until: null, teamId, keyHash: null, modelId: null, by: ['bucket_start', 'team_id', 'code'] }
}

export function forecastBudget(state: BudgetNow): Forecast {
  const { now, budget, spent, held, periodEnd } = state
  const paces = paceWindows.map(minutes => paceOver(state, minutes))
  const known = paces.filter(pace => pace !== null)
  const mid = paces[paceWindows.indexOf(60)] ?? null
  const pace = {
    low: known.length === 0 ? null : Math.min(...known),
    mid,
    high: known.length === 0 ? null : Math.max(...known),
  }
  const left = budget === null ? null : Math.max(0, budget - spent - held)
  const unspent = budget === null ? null : Math.max(0, budget - spent)
  const endsAt = (perHour: number | null): number | null => {
    if (unspent === null || perHour === null || perHour <= 0) return null
    const end = now + (unspent / perHour) * hourMs
    // Beyond the range of dates it never ends.
    return end > maximumDate || (periodEnd !== null && end >= periodEnd) ? null : end
  }
  const [low, middle, high] = [endsAt(pace.low), endsAt(pace.mid), endsAt(pace.high)]
  const write = (end: number | null) => (end === null ? null : new Date(end).toISOString())
  return {
    left_nano: left,
    pace_nano_h: pace,
    dry_at: { low: write(low), mid: write(middle), high: write(high) },
    verdict: judge({ unspent, middle, high }),
  }
}

const maximumDate = 8_640_000_000_000_000

function judge(ends: {
  readonly unspent: number | null
  readonly middle: number | null
  readonly high: number | null
}): Forecast['verdict'] {
  if (ends.unspent === null) return 'no_budget'
  if (ends.unspent === 0) return 'spent'
  if (ends.middle !== null) return 'runs_dry'
  return ends.high === null ? 'lasts' : 'at_high_pace'
}

/** Nano-dollars an hour; null for a window shorter than a minute so far. Spend before the period began does not count. */
function paceOver({ now, periodStart, buckets }: BudgetNow, minutes: number): number | null {
  const since = Math.max(startOf(now, minutes), periodStart)
  const length = now - since
  if (length < minuteMs) return null
  // The bucket in which the period began counts whole: it is at most five minutes.
  const first = Math.floor(since / bucketMs) * bucketMs
  const cost = buckets.reduce((sum, bucket) => (bucket.start >= first ? sum + bucket.cost : sum), 0)
  return Math.max(0, Math.round((cost / length) * hourMs))
}

/** Windows begin at the start of a bucket. */
function startOf(now: number, minutes: number): number {
  return Math.floor((now - minutes * minuteMs) / bucketMs) * bucketMs
}
