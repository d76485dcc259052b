// The clock of a database runs beside ours from one reading, and a clock that was passed in replaces both.
import { expect, test } from 'bun:test'
import { addDatabaseClock, createServerTime } from './server-time.ts'

test('the clock of the database goes on from its reading by the monotonic clock', async () => {
  let monotonic = 5000
  const own = { ...createServerTime(), wallClock: () => 9_000_000, stopwatch: () => monotonic }
  const time = await addDatabaseClock(own, async () => 1_700_000_000_123_999)
  expect(time.databaseClock()).toBe(1_700_000_000_123)
  monotonic += 1500
  expect([time.databaseClock(), time.wallClock()]).toEqual([1_700_000_001_623, 9_000_000])
})

test('a clock that was passed in is the only one', async () => {
  const time = await addDatabaseClock(
    createServerTime(() => 42),
    async () => 1_700_000_000_000_000,
  )
  expect([time.clock(), time.wallClock(), time.databaseClock()]).toEqual([42, 42, 42])
})
