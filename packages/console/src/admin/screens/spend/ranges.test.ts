// Time ranges.
import { expect, test } from 'bun:test'
import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import { chooseStep, readRange, startOf } from './ranges.ts'

test('an unknown range means the whole event', () => {
  expect([undefined, 'phase', 'toString'].map(readRange)).toEqual(['event', 'phase', 'event'])
})

test('the range of a phase starts with the phase', () => {
  const event = { phase: 'Contest', phases: [{ name: 'Contest', from: '2026-11-21T01:00:00.000Z' }] }
  const now = Date.parse('2026-11-21T05:00:00.000Z')
  expect(startOf('phase', event as EventRecord, now)).toBe(now - 4 * 3_600_000)
  expect(startOf('phase', { ...event, phase: null } as EventRecord, now)).toBeNull()
  expect(startOf('hour', undefined, now)).toBe(now - 3_600_000)
})

test.each([
  [3_600_000, '5m'],
  [24 * 3_600_000, '30m'],
  [5 * 24 * 3_600_000, '6h'],
  [400 * 24 * 3_600_000, '1d'],
])('a range of %d ms has steps of %s', (range, step) => {
  expect(chooseStep(range)).toBe(step as '5m')
})
