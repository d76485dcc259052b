// The clock of windows and periods must not follow a wall clock that is set.
import { expect, test } from 'bun:test'
import { createSteadyClock } from './steady-clock.ts'

test('starts at the wall clock, then runs with the monotonic one, even if the wall clock is changed', () => {
  let wall = 1_700_000_000_000
  let monotonic = 5000.25
  const clock = createSteadyClock(
    () => wall,
    () => monotonic,
  )
  expect(clock()).toBe(1_700_000_000_000)
  wall -= 3_600_000
  monotonic += 1500.5
  expect(clock()).toBe(1_700_000_001_500)
  wall += 7_200_000
  monotonic += 0.5
  expect(clock()).toBe(1_700_000_001_501)
})
