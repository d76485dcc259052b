// Places phases on a line: widths grow with durations, but each phase stays wide enough to see.
import type { PhaseRecord } from '@fairgate/contracts/management/event.ts'

export type PlacedPhase = {
  readonly phase: PhaseRecord
  /** Both from 0 to 1. */
  readonly x: number
  readonly width: number
  readonly isNow: boolean
}

const leastShare = 0.06

export function placePhases(
  phases: readonly PhaseRecord[],
  now: number,
): { readonly phases: readonly PlacedPhase[]; readonly now: number | null } {
  if (phases.length === 0) return { phases: [], now: null }
  const lengths = phases.map(({ from, until }) => (until === null ? 0 : Date.parse(until) - Date.parse(from)))
  const whole = Math.max(
    1,
    lengths.reduce((sum, length) => sum + length, 0),
  )
  const raw = lengths.map(length => Math.max(leastShare, length / whole))
  const total = raw.reduce((sum, share) => sum + share, 0)
  const placed: PlacedPhase[] = []
  let x = 0
  let mark: number | null = null
  for (const [index, phase] of phases.entries()) {
    const width = (raw[index] ?? leastShare) / total
    const from = Date.parse(phase.from)
    const until = phase.until === null ? Number.POSITIVE_INFINITY : Date.parse(phase.until)
    const isNow = from <= now && now < until
    if (isNow) mark = x + width * (until === Number.POSITIVE_INFINITY ? 0.1 : (now - from) / (until - from))
    else if (now < from && mark === null) mark = x
    placed.push({ phase, x, width, isNow })
    x += width
  }
  return { phases: placed, now: mark ?? 1 }
}
