// Time ranges to choose from, as the address names them.
import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import type { SeriesStep } from '@fairgate/contracts/spend/spend-report.ts'

export const rangeNames = { event: 'Whole event', phase: 'This phase', day: '24 h', hour: '1 h' } as const
export type RangeName = keyof typeof rangeNames

export function readRange(text: string | undefined): RangeName {
  return text !== undefined && Object.hasOwn(rangeNames, text) ? (text as RangeName) : 'event'
}

/** Unix ms; null to start at the first call. */
export function startOf(range: RangeName, event: EventRecord | undefined, now: number): number | null {
  if (range === 'hour') return now - 3_600_000
  if (range === 'day') return now - 24 * 3_600_000
  if (range === 'event') return null
  const phase = event?.phases.find(({ name }) => name === event.phase)
  return phase === undefined ? null : Date.parse(phase.from)
}

const steps: readonly (readonly [SeriesStep, number])[] = [
  ['5m', 5],
  ['10m', 10],
  ['30m', 30],
  ['1h', 60],
  ['2h', 120],
  ['6h', 360],
  ['1d', 1440],
]

/** Picks the step that divides the range into about forty bars. */
export function chooseStep(rangeMs: number): SeriesStep {
  return steps.find(([, minutes]) => rangeMs / (minutes * 60_000) <= 48)?.[0] ?? '1d'
}

export function stepMs(step: SeriesStep): number {
  const minutes = steps.find(([name]) => name === step)?.[1] ?? 10
  return minutes * 60_000
}
