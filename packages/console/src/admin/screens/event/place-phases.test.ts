// Phases on the timeline.
import { expect, test } from 'bun:test'
import type { PhaseRecord } from '@fairgate/contracts/management/event.ts'
import { placePhases } from './place-phases.ts'

const at = (hour: number) => Date.parse('2026-11-21T00:00:00Z') + hour * 3_600_000
const phase = (name: string, from: number, until: number | null): PhaseRecord => ({
  name,
  from: new Date(at(from)).toISOString(),
  until: until === null ? null : new Date(at(until)).toISOString(),
  gateway: 'open',
  models: null,
  budget_nano: null,
  accounting: 'continue',
  entries_until: null,
  submissions_until: null,
})

test('phases fill the line in order, and “now” is in the current one', () => {
  const { phases, now } = placePhases([phase('a', 0, 10), phase('b', 10, 20)], at(15))
  expect(phases.map(({ x, width, isNow }) => [x, width, isNow])).toEqual([
    [0, 0.5, false],
    [0.5, 0.5, true],
  ])
  expect(now).toBe(0.75)
})

test('short and open-ended phases stay visible, and “now” has a position between phases', () => {
  const { phases, now } = placePhases(
    [phase('long', 0, 100), phase('short', 101, 102), phase('open', 102, null)],
    at(100.5),
  )
  expect(phases.every(({ width }) => width > 0.04)).toBe(true)
  expect(now).toBe(phases[1]?.x as number)
  expect(placePhases([phase('a', 0, 1)], at(5)).now).toBe(1)
  expect(placePhases([], at(0)).now).toBeNull()
})
