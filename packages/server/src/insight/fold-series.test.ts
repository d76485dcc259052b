// Steps follow a zone's clocks, also on the days on which they change.
import { expect, test } from 'bun:test'
import { createStepStart, listSteps } from './fold-series.ts'

const hourMs = 3_600_000
const show = (unixMs: number) => new Date(unixMs).toISOString()

test('in UTC steps are whole multiples', () => {
  const stepStart = createStepStart(600_000, 'UTC')
  expect(show(stepStart(Date.parse('2026-11-21T10:19:59.999Z')))).toBe('2026-11-21T10:10:00.000Z')
})

test('hours and days in zones that are not whole hours from UTC', () => {
  const day = createStepStart(24 * hourMs, 'Asia/Kathmandu')
  expect(show(day(Date.parse('2026-11-21T18:14:59Z')))).toBe('2026-11-20T18:15:00.000Z')
  expect(show(day(Date.parse('2026-11-21T18:15:00Z')))).toBe('2026-11-21T18:15:00.000Z')
  const hour = createStepStart(hourMs, 'Asia/Kathmandu')
  expect(show(hour(Date.parse('2026-11-21T18:15:00Z')))).toBe('2026-11-21T18:15:00.000Z')
})

test('a day of 25 hours and one of 23 are one step each', () => {
  const stepStart = createStepStart(24 * hourMs, 'Europe/Berlin')
  const list = (from: string, until: string) =>
    [...listSteps({ from: Date.parse(from), until: Date.parse(until), stepStart, stepMs: 24 * hourMs })].map(
      show,
    )
  expect(list('2026-10-24T12:00:00Z', '2026-10-27T00:00:00Z')).toEqual([
    '2026-10-23T22:00:00.000Z',
    '2026-10-24T22:00:00.000Z',
    '2026-10-25T23:00:00.000Z',
    '2026-10-26T23:00:00.000Z',
  ])
  expect(list('2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z')).toEqual([
    '2026-03-27T23:00:00.000Z',
    '2026-03-28T23:00:00.000Z',
    '2026-03-29T22:00:00.000Z',
  ])
})

test('an unknown zone', () => {
  expect(() => createStepStart(hourMs, 'Mars/Olympus')).toThrow(RangeError)
})
