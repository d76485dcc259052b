// Times in zones with clock changes, and durations as organisers write them.
import { describe, expect, test } from 'bun:test'
import {
  formatLocalMoment,
  formatSpan,
  formatZonedMoment,
  isTimeZone,
  parseSpan,
  readLocalMoments,
} from './zoned-time.ts'

const utc = (text: string) => Date.parse(text)

describe('a time without an offset', () => {
  test.each([
    ['2026-11-21T18:00', 'Asia/Seoul', ['2026-11-21T09:00:00Z']],
    ['2026-11-21T18:00:30.250', 'UTC', ['2026-11-21T18:00:30.250Z']],
    ['2026-01-01T00:30', 'Asia/Kolkata', ['2025-12-31T19:00:00Z']],
    // Put forward at 2:00 on 29 March 2026, and back at 3:00 on 25 October (Directive 2000/84/EC).
    ['2026-03-29T01:59', 'Europe/Berlin', ['2026-03-29T00:59:00Z']],
    ['2026-03-29T02:30', 'Europe/Berlin', []],
    ['2026-03-29T03:00', 'Europe/Berlin', ['2026-03-29T01:00:00Z']],
    ['2026-10-25T02:30', 'Europe/Berlin', ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z']],
    ['2026-10-25T03:00', 'Europe/Berlin', ['2026-10-25T02:00:00Z']],
    // By half an hour.
    ['2026-04-05T01:45', 'Australia/Lord_Howe', ['2026-04-04T14:45:00Z', '2026-04-04T15:15:00Z']],
  ])('%s in %s is %p', (text, zone, moments) => {
    expect(readLocalMoments(text, zone)).toEqual(moments.map(utc))
  })

  test.each(['2026-11-21', '2026-11-21T18:00Z', '2026-11-21T18:00+09:00', '2026-02-30T10:00', 'noon'])(
    '%s is not a time',
    text => expect(readLocalMoments(text, 'UTC')).toBeNull(),
  )
})

test('a time is shown in its zone and read back from a file', () => {
  const end = utc('2026-11-21T09:00:00Z')
  expect(formatZonedMoment(end, 'Asia/Seoul')).toBe('2026-11-21 18:00:00 +09:00 (Asia/Seoul)')
  expect(formatZonedMoment(end + 5, 'America/New_York')).toBe(
    '2026-11-21 04:00:00.005 -05:00 (America/New_York)',
  )
  expect(formatLocalMoment(end, 'Asia/Seoul')).toBe('2026-11-21T18:00')
  expect(formatLocalMoment(end + 1500, 'Asia/Seoul')).toBe('2026-11-21T18:00:01.500')
  expect(formatLocalMoment(utc('2026-10-25T01:30:00Z'), 'Europe/Berlin')).toBe('2026-10-25T02:30+01:00')
})

test.each([
  ['15m', 900_000],
  ['+45m', 2_700_000],
  ['1h30m', 5_400_000],
  ['2d', 172_800_000],
  ['90s', 90_000],
  ['', null],
  ['0m', null],
  ['-15m', null],
  ['15', null],
  ['15 m', null],
])('the span %p is %p ms', (text, span) => expect(parseSpan(text)).toBe(span))

test('spans and zones by name', () => {
  expect([900_000, 5_400_000, 90_000].map(formatSpan)).toEqual(['15m', '1h30m', '1m30s'])
  expect(['Asia/Seoul', 'UTC', '+09:00', 'Mars/Olympus', ''].map(isTimeZone)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})
