import { expect, test } from 'bun:test'
import { describePace } from './describe-pace.ts'

const now = Date.UTC(2026, 10, 28, 9)
const minute = 60_000
const describe = (left: number, minutesLeft: number | null, opensIn = 0) =>
  describePace({
    left,
    minutesPerTeam: 12,
    now,
    opensAt: now + opensIn * minute,
    closesAt: minutesLeft === null ? null : now + minutesLeft * minute,
  })

test('the time is enough, just so', () => {
  expect(describe(7, 84)).toEqual({
    isEnough: true,
    text: '1 h 24 min for 7 teams, at 12 min each you need 1 h 24 min.',
  })
})

test('a minute less is not', () => {
  expect(describe(7, 83)).toEqual({
    isEnough: false,
    text: 'Only 1 h 23 min for 7 teams: 11 min each instead of 12 min.',
  })
  expect(describe(3, 2)?.text).toBe('Only 2 min for 3 teams: less than a minute each instead of 12 min.')
  expect(describe(1, 5)?.text).toBe('Only 5 min for 1 team: 5 min instead of 12 min.')
})

test('the time before the opening does not count', () => {
  expect(describe(7, 100, 20)?.isEnough).toBe(false)
})

test('without an end only the work is named, and nothing at all when it is done or over', () => {
  expect(describe(2, null)?.text).toBe('2 teams to read, at 12 min each: 24 min.')
  expect(describe(0, 100)).toBeNull()
  expect(describe(2, 0)).toBeNull()
})
