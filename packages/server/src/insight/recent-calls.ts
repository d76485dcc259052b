// Turns the newest calls on record into rates and times: the last five minutes of a busy event, from a sample of bounded size.
import type { Overview } from '@fairgate/contracts/console/overview.ts'
import type { RecentCall } from '../store/statements/recent-work.ts'

export const recentMs = 300_000
/** Five minutes of a busy event have tens of thousands of calls: their figures come from a sample. */
export const maxRecentCalls = 2000

type Recent = Pick<
  Overview,
  'calls_per_min' | 'refused_share' | 'errors_share' | 'first_token_ms' | 'latency_ms' | 'sample'
>

/** If the sample is full, it covers less than five minutes. */
export function describeRecent(
  all: readonly RecentCall[],
  now: number,
  isMeant: (call: RecentCall) => boolean = () => true,
): Recent {
  const calls = all.filter(isMeant)
  const oldest = all.at(-1)
  const covered =
    all.length < maxRecentCalls || oldest === undefined
      ? recentMs
      : Math.min(recentMs, Math.max(1000, now - oldest.receivedAt))
  const count = countOf(calls)
  const answered = calls.filter(({ outcome }) => outcome !== 'refused')
  const refused = count - countOf(answered)
  const failed = answered.filter(({ outcome }) => outcome === 'failed' || outcome === 'interrupted').length
  return {
    calls_per_min: perMinute(count, covered),
    refused_share: count === 0 ? null : round(refused / count),
    errors_share: answered.length === 0 ? null : round(failed / answered.length),
    first_token_ms: rank(answered.flatMap(({ firstByteMs }) => firstByteMs ?? [])),
    latency_ms: rank(answered.map(({ durationMs }) => durationMs)),
    sample: { calls: count, seconds: Math.round(covered / 1000) },
  }
}

/** Percentiles of all given values: 50 in 100 are at most `p50`, 95 in 100 at most `p95`. */
export function rank(values: readonly number[]): {
  readonly p50: number | null
  readonly p95: number | null
} {
  const sorted = values.toSorted((left, right) => left - right)
  const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null
  return { p50: at(0.5), p95: at(0.95) }
}

export function perMinute(count: number, milliseconds: number): number {
  return Math.round((count * 600_000) / milliseconds) / 10
}

function round(share: number): number {
  return Math.round(share * 10_000) / 10_000
}

function countOf(calls: readonly RecentCall[]): number {
  return calls.reduce((sum, { count }) => sum + count, 0)
}
