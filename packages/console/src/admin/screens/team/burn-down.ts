// Points of the budget chart: what was left over time, counted back from now, and the forecast at the current pace.
import type { ChartPoint } from '../../../show/area-chart.tsx'

export type SpendStep = { readonly at: number; readonly nano: number }

/**
 * `steps`: spend per step, oldest first; steps without spend are left out. Grants are not in it: the line is drawn as if all grants so far
 * had been there from the start.
 */
export function drawBurnDown(
  steps: readonly SpendStep[],
  { from, now, stepMs, left }: { from: number; now: number; stepMs: number; left: number },
): ChartPoint[] {
  const points: ChartPoint[] = [{ at: now, value: Math.max(0, left) }]
  let value = left
  for (const { at, nano } of [...steps].reverse()) {
    if (at >= now || at + stepMs <= from) continue
    points.push({ at: Math.min(now, at + stepMs), value: Math.max(0, value) })
    value += nano
    points.push({ at: Math.max(from, at), value: Math.max(0, value) })
  }
  points.push({ at: from, value: Math.max(0, value) })
  return points.reverse()
}

/** Spend so far, for a team without a budget. */
export function drawSpend(
  steps: readonly SpendStep[],
  { from, now, stepMs }: { from: number; now: number; stepMs: number },
): ChartPoint[] {
  let value = 0
  const points: ChartPoint[] = [{ at: from, value }]
  for (const { at, nano } of steps) {
    if (at + stepMs <= from || at >= now) continue
    points.push({ at: Math.max(from, at), value })
    value += nano
    points.push({ at: Math.min(now, at + stepMs), value })
  }
  points.push({ at: now, value })
  return points
}

/** Runs from now until the budget runs out, or to `until` if that is earlier. */
export function drawForecast({
  now,
  until,
  left,
  paceNanoH,
}: {
  now: number
  until: number
  left: number
  paceNanoH: number | null
}): ChartPoint[] {
  if (paceNanoH === null || paceNanoH <= 0 || left <= 0 || until <= now) return []
  const dryAt = now + (left / paceNanoH) * 3_600_000
  const end = Math.min(dryAt, until)
  return [
    { at: now, value: left },
    { at: end, value: Math.max(0, left - (paceNanoH * (end - now)) / 3_600_000) },
  ]
}

const minute = 60_000
const choices = [
  ['5m', 5],
  ['10m', 10],
  ['15m', 15],
  ['30m', 30],
  ['1h', 60],
  ['2h', 120],
  ['6h', 360],
  ['1d', 1440],
] as const

/** Picks a step that gives about a hundred steps. */
export function chooseStep(spanMs: number): { readonly name: string; readonly ms: number } {
  const [name, minutes] =
    choices.find(([, each]) => spanMs / (each * minute) <= 120) ?? (['1d', 1440] as const)
  return { name, ms: minutes * minute }
}
