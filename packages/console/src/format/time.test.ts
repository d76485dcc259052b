// Times are shown in the event's zone, and durations in the units in which people think.
import { expect, test } from 'bun:test'
import {
  describeInstant,
  formatAgo,
  formatClock,
  formatDuration,
  formatLeft,
  formatMoment,
  formatZone,
  showInstants,
} from './time.ts'

const zone = 'Asia/Seoul'
const at = Date.parse('2026-11-21T06:42:08.123Z')

test('clock times and dates', () => {
  expect([formatClock(at, zone), formatClock(at, zone, false), formatZone(zone, at)]).toEqual([
    '15:42:08',
    '15:42',
    'KST',
  ])
  expect(formatMoment(at, at + 3_600_000, zone)).toBe('15:42')
  expect(formatMoment(at, at + 24 * 3_600_000, zone)).toBe('Sat 15:42')
  expect(formatMoment(at, at + 30 * 24 * 3_600_000, zone)).toBe('21 Nov 15:42')
  expect(formatMoment(Date.parse('2099-01-01T00:00:00Z'), at, zone)).toBe('1 Jan 2099 09:00')
})

test.each([
  [0, 'just now'],
  [31_000, '31 s ago'],
  [240_000, '4 min ago'],
  [7_200_000, '15:42'],
])('%d ms later, it is shown as %s', (later, shown) => {
  expect(formatAgo(at, at + later, zone)).toBe(shown)
})

test.each([
  [41, '41 ms'],
  [2_950, '2.9 s'],
  [250_000, '4 min 10 s'],
  [8_280_000, '2 h 18 min'],
  [277_200_000, '3 days 5 h'],
])('%d ms are %s', (ms, shown) => {
  expect(formatDuration(ms)).toBe(shown)
})

test('seconds count only near the end', () => {
  expect([8_299_000, 599_000, -5].map(formatLeft)).toEqual(['2 h 18 min', '9 min 59 s', '0 ms'])
})

test('a time is shown in UTC, in the event’s zone and in the reader’s', () => {
  expect(describeInstant(at, zone, 'Europe/Berlin').split('\n')).toEqual([
    'Sat 21 Nov 15:42:08 Asia/Seoul',
    'Sat 21 Nov 07:42:08 your time (Europe/Berlin)',
    '2026-11-21T06:42:08.123Z',
  ])
})

test('times in a server message are shown in the event’s zone', () => {
  const now = Date.parse('2026-11-23T08:00:00Z')
  expect(showInstants('Limit: 30. Resets at 2026-11-23T08:34:46.995Z. Wait.', now, 'Asia/Seoul')).toBe(
    'Limit: 30. Resets at 17:34:46. Wait.',
  )
})
