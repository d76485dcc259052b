// Folds buckets of five minutes into the steps of a series, in the hours and days of a time zone.
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { SpendSeries } from '@fairgate/contracts/spend/spend-report.ts'
import { offsetAt } from '@fairgate/contracts/text/zoned-time.ts'
import type { SpendSum } from '../store/statements/spend-sums.ts'
import { addFigures, type SpendGroup } from './group-spend.ts'

/** The start of the step that contains a moment (Unix ms). */
export type StepStart = (unixMs: number) => number

/** Throws RangeError for an unknown zone. */
export function createStepStart(stepMs: number, timeZone: string): StepStart {
  const offsetOf = createOffset(timeZone)
  // An unknown zone throws here, and not at the first step.
  offsetOf(0)
  return unixMs => {
    const offset = offsetOf(unixMs)
    const local = Math.floor((unixMs + offset) / stepMs) * stepMs
    // The clocks may have changed between the start of the step and the moment.
    return local - offsetOf(local - offset)
  }
}

/** Offsets change at whole quarters of an hour, and a series asks for the same ones repeatedly. */
function createOffset(timeZone: string): (unixMs: number) => number {
  const known = new Map<number, number>()
  return unixMs => {
    const quarter = Math.floor(unixMs / 900_000) * 900_000
    const offset = known.get(quarter) ?? offsetAt(timeZone, quarter)
    known.set(quarter, offset)
    return offset
  }
}

export type SeriesPlan = {
  readonly groups: readonly SpendGroup<SpendSum>[]
  /** Unix ms: the first moment that is looked at, and the one after the last. */
  readonly from: number
  readonly until: number
  readonly stepStart: StepStart
  readonly stepMs: number
}

/** Points only for steps with values; gaps if no group has any. */
export function foldSeries({
  groups,
  from,
  until,
  stepStart,
  stepMs,
}: SeriesPlan): Pick<SpendSeries, 'series' | 'gaps'> {
  const filled = new Set<number>()
  const series = groups.map(({ identity, calls, refused, cost_nano, sums }) => {
    const steps = new Map<number, SpendSum[]>()
    for (const sum of sums) {
      const start = stepStart(sum.bucketStart ?? from)
      filled.add(start)
      const known = steps.get(start)
      if (known === undefined) steps.set(start, [sum])
      else known.push(sum)
    }
    const points = [...steps]
      .sort(([left], [right]) => left - right)
      .map(([start, own]) => ({ at: isoTime(start), ...addFigures(own) }))
    return { ...identity, calls, refused, cost_nano, points }
  })
  const gaps: { from: string; until: string }[] = []
  let since: number | null = null
  for (const start of listSteps({ from, until, stepStart, stepMs })) {
    if (!filled.has(start)) since ??= start
    else if (since !== null) {
      gaps.push({ from: isoTime(since), until: isoTime(start) })
      since = null
    }
  }
  if (since !== null && since < until) gaps.push({ from: isoTime(since), until: isoTime(until) })
  return { series, gaps }
}

/** The start of each step. A day may have 23 or 25 hours: the next one begins at the step that contains half a step after its usual end. */
export function* listSteps({
  from,
  until,
  stepStart,
  stepMs,
}: Omit<SeriesPlan, 'groups'>): Generator<number> {
  let start = stepStart(from)
  while (start < until) {
    yield start
    const next = stepStart(start + stepMs + stepMs / 2)
    start = next > start ? next : start + stepMs
  }
}
