// The state of an event as shown in the hall.
import { expect, test } from 'bun:test'
import type { WallState } from '@fairgate/contracts/console/wall.ts'
import {
  choosePage,
  countdown,
  followEnd,
  groupHead,
  isJustOver,
  readClock,
  sizeTiles,
  type Tile,
  toneOf,
} from './read-wall.ts'

const tile = (name: string, state: Tile['state'] = 'working'): Tile => ({
  name,
  state,
  lights: { key: 'ok', call: 'ok', rec: 'ok' },
  bar: null,
})
const at = (text: string) => Date.parse(`2026-11-21T${text}Z`)
const clockAt = (instant: number) => new Date(instant).toISOString().slice(11, 16)
const clock = {
  time_zone: 'UTC',
  name: 'Contest',
  from: '2026-11-21T01:00:00.000Z',
  until: '2026-11-21T09:00:00.000Z',
  gateway: 'open',
  reason: null,
  opens_at: null,
  changes_at: null,
} satisfies WallState['clock']

test('every state of a team has one of four signs', () => {
  expect(
    (['working', 'near_budget', 'budget_spent', 'blocked', 'quiet', 'not_started'] as const).map(state =>
      toneOf(tile('a', state)),
    ),
  ).toEqual(['ok', 'warn', 'blocked', 'blocked', 'none', 'none'])
})

test('teams that do not fit go to further pages, and none is left out', () => {
  const tiles = Array.from({ length: 200 }, (_, index) => tile(`team ${index}`))
  const pages = [0, 20_000, 40_000].map(now => choosePage(tiles, now))
  expect(pages.map(({ page, pages: count }) => [page, count])).toEqual([
    [1, 3],
    [2, 3],
    [3, 3],
  ])
  expect(pages.flatMap(({ tiles: shown }) => shown)).toEqual(tiles)
  expect(choosePage(tiles.slice(0, 60), 0).tiles).toHaveLength(60)
})

test.each([
  [4, 'large'],
  [20, 'large'],
  [21, 'usual'],
  [60, 'usual'],
  [61, 'small'],
] as const)('%d teams have %s tiles', (count, size) => {
  expect(sizeTiles(count)).toBe(size)
})

test('the large clock counts down, and shows why if it does not', () => {
  expect(readClock(clock, at('06:31:19'), clockAt)).toEqual({ large: '2:28:41', below: 'left until 09:00' })
  expect(readClock({ ...clock, gateway: 'paused', reason: 'Fire alarm' }, at('06:31:19'), clockAt)).toEqual({
    large: 'Paused',
    below: 'Fire alarm',
  })
  expect(
    readClock({ ...clock, gateway: 'closed', opens_at: '2026-11-21T10:00:00.000Z' }, at('09:59:00'), clockAt),
  ).toEqual({ large: '0:01:00', below: 'until it opens at 10:00' })
  expect(readClock({ ...clock, until: null }, at('06:31:19'), clockAt)).toEqual({ large: '06:31', below: '' })
  expect(countdown(-5)).toBe('0:00:00')
})

test('the end is shown for ten seconds', () => {
  expect(
    [at('08:59:59'), at('09:00:00'), at('09:00:09'), at('09:00:10')].map(now => isJustOver(clock.until, now)),
  ).toEqual([false, true, true, false])
})

test('an end that is reached is shown, one that was moved is not', () => {
  const [end, next] = ['2026-11-21T09:00:00.000Z', '2026-11-21T12:00:00.000Z']
  expect(followEnd(null, end, at('08:00:00'))).toBe(end)
  expect(followEnd(end, next, at('08:59:59'))).toBe(end)
  expect(followEnd(end, next, at('09:00:05'))).toBe(end)
  expect(followEnd(end, next, at('09:00:10'))).toBe(next)
  expect(followEnd(end, next, at('08:30:00'))).toBe(next)
})

test('the head of heads is shown in groups', () => {
  expect(groupHead('b7e190d43c2fa8d566140e9b77f01c3a'.padEnd(64, '0'))).toBe(
    'b7e1 90d4 3c2f a8d5 6614 0e9b 77f0 1c3a',
  )
})
