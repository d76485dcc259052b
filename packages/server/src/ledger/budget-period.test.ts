import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseBudgetDuration, periodOf } from './budget-period.ts'

const at = (text: string) => Date.parse(text)

describe('periodOf', () => {
  test.each([
    // duration, anchor, now, start, end
    ['1d', '2026-01-01T00:00Z', '2026-03-01T00:00:00.000Z', '2026-03-01T00:00Z', '2026-03-02T00:00Z'],
    ['1d', '2026-01-01T00:00Z', '2026-02-28T23:59:59.999Z', '2026-02-28T00:00Z', '2026-03-01T00:00Z'],
    ['1d', '2024-01-01T00:00Z', '2024-02-29T12:00Z', '2024-02-29T00:00Z', '2024-03-01T00:00Z'],
    ['1d', '2026-05-05T15:30Z', '2026-05-05T16:00Z', '2026-05-05T15:30Z', '2026-05-06T00:00Z'],
    ['1d', '2026-05-05T15:30Z', '2026-05-06T00:00Z', '2026-05-06T00:00Z', '2026-05-07T00:00Z'],
    // 2026-11-23 is a Monday; 2027-01-01 a Friday in the week of 2026-12-28.
    ['1w', '2026-01-01T00:00Z', '2026-11-22T23:59:59.999Z', '2026-11-16T00:00Z', '2026-11-23T00:00Z'],
    ['1w', '2026-01-01T00:00Z', '2026-11-23T00:00Z', '2026-11-23T00:00Z', '2026-11-30T00:00Z'],
    ['1w', '2026-01-01T00:00Z', '2027-01-01T08:00Z', '2026-12-28T00:00Z', '2027-01-04T00:00Z'],
    ['1w', '2026-11-25T09:00Z', '2026-11-26T00:00Z', '2026-11-25T09:00Z', '2026-11-30T00:00Z'],
    ['1m', '2023-01-01T00:00Z', '2024-02-29T23:59:59.999Z', '2024-02-01T00:00Z', '2024-03-01T00:00Z'],
    ['1m', '2023-01-01T00:00Z', '2100-02-28T23:00Z', '2100-02-01T00:00Z', '2100-03-01T00:00Z'],
    ['1m', '2026-01-01T00:00Z', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00Z', '2027-01-01T00:00Z'],
    ['1m', '2026-01-31T10:00Z', '2026-01-31T11:00Z', '2026-01-31T10:00Z', '2026-02-01T00:00Z'],
    ['1mo', '2026-01-01T00:00Z', '2026-04-30T23:00Z', '2026-04-01T00:00Z', '2026-05-01T00:00Z'],
    ['30d', '2026-01-31T10:00Z', '2026-03-02T09:59:59.999Z', '2026-01-31T10:00Z', '2026-03-02T10:00Z'],
    ['30d', '2026-01-31T10:00Z', '2026-03-02T10:00Z', '2026-03-02T10:00Z', '2026-04-01T10:00Z'],
    ['7d', '2026-11-18T10:00Z', '2026-11-24T10:00Z', '2026-11-18T10:00Z', '2026-11-25T10:00Z'],
    ['1h', '2026-11-18T10:20Z', '2026-11-18T12:19:59.999Z', '2026-11-18T11:20Z', '2026-11-18T12:20Z'],
    ['12h', '2026-11-18T10:20Z', '2026-11-18T22:20Z', '2026-11-18T22:20Z', '2026-11-19T10:20Z'],
  ])('%s set at %s, seen at %s: %s to %s', (duration, anchor, now, start, end) => {
    expect(periodOf(duration, at(anchor), at(now))).toEqual({ start: at(start), end: at(end) })
  })

  test('without a duration the period never ends', () => {
    expect(periodOf(null, 5, 1e15)).toEqual({ start: 5, end: null })
  })

  test('a clock before the anchor counts as the anchor', () => {
    expect(periodOf('1h', 1000, 0)).toEqual({ start: 1000, end: 3_601_000 })
    expect(periodOf('1d', at('2026-05-05T15:30Z'), 0)).toEqual({
      start: at('2026-05-05T15:30Z'),
      end: at('2026-05-06T00:00Z'),
    })
  })

  test('a period contains its moment; periods start at the anchor without gaps or overlaps', () => {
    const moment = fc.integer({ min: 0, max: at('2100-01-01T00:00Z') })
    fc.assert(
      fc.property(
        fc.constantFrom('1d', '1w', '1m', '1h', '5h', '2d', '30d'),
        moment,
        moment,
        (duration, anchor, later) => {
          const now = anchor + later
          const { start, end } = periodOf(duration, anchor, now)
          if (end === null) throw new Error('These durations end.')
          expect(start).toBeGreaterThanOrEqual(anchor)
          expect(start <= now && now < end).toBe(true)
          expect(periodOf(duration, anchor, end - 1)).toEqual({ start, end })
          expect(periodOf(duration, anchor, end).start).toBe(end)
          expect(periodOf(duration, anchor, start).start).toBe(start)
          expect(periodOf(duration, anchor, anchor).start).toBe(anchor)
        },
      ),
    )
  })
})

test.each([
  '',
  '1',
  'd',
  '0d',
  '-1d',
  '1.5d',
  '1 d',
  '1D',
  '01d',
  '2w',
  '2m',
  '2mo',
  '30m',
  '10s',
  '1y',
  '1dd',
  '9999999d',
  '4000d',
])('the duration "%s" is refused', text => {
  expect(() => parseBudgetDuration(text)).toThrow(RangeError)
})

describe('a period that a phase started', () => {
  const hour = 3_600_000
  test.each([
    [null, 7, 5 * hour, 5 * hour, null],
    ['1d', 0, 5 * hour, 5 * hour, 24 * hour],
    ['1d', 0, 30 * hour, 24 * hour, 48 * hour],
    ['2h', 0, 5 * hour, 5 * hour, 6 * hour],
    ['2h', 0, 6 * hour, 6 * hour, 8 * hour],
    // A clock that is behind the beginning counts as being there.
    ['2h', 0, 3 * hour, 5 * hour, 6 * hour],
  ] as const)('%s since 5 h, at %i ms', (duration, anchor, now, start, end) => {
    expect(periodOf(duration, anchor, now, 5 * hour)).toEqual({ start, end })
  })
})
