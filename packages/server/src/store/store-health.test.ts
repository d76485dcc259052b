// Tests when the store counts as usable: failures end it, checks restore it, and each change is reported once.
import { expect, test } from 'bun:test'
import type { StoreFailureReason } from './classify-failure.ts'
import { createStoreHealth } from './store-health.ts'
import { StoreUnavailable } from './store-unavailable.ts'

const coded = (code: string) => Object.assign(new Error(code), { code })

function open() {
  let broken: Error | null = null
  let now = 1_000_000
  let tick: () => void = () => undefined
  const doubts: (StoreFailureReason | null)[] = []
  const reported: string[] = []
  const health = createStoreHealth({
    check: async doubt => {
      doubts.push(doubt)
      if (broken !== null) throw broken
    },
    every: (_milliseconds, run) => {
      tick = run
      return () => undefined
    },
    reportFailure: (error, reason) => reported.push(`${reason}: ${(error as Error).message}`),
    reportRecovery: reason => reported.push(`${reason} is over`),
    monotonicMs: () => now,
  })
  return {
    health,
    doubts,
    reported,
    breakWith: (error: Error | null) => {
      broken = error
    },
    pass: (milliseconds: number) => {
      now += milliseconds
    },
    /** The check that runs each second; resolves when it has ended. */
    look: async () => {
      tick()
      await health.stop()
    },
  }
}

test('a hundred failing statements are reported once, and so is the recovery', async () => {
  const { health, reported, breakWith, look } = open()
  breakWith(coded('ECONNREFUSED'))
  for (let index = 0; index < 100; index += 1) health.explain(coded('ECONNREFUSED'))
  await look()
  expect(health.failure()).toBe('database_unavailable')
  breakWith(null)
  await look()
  expect(health.failure()).toBeNull()
  expect(reported).toEqual(['database_unavailable: ECONNREFUSED', 'database_unavailable is over'])
})

test('a check finds what no request has found, and is cheap while all is well', async () => {
  const { health, doubts, breakWith, look } = open()
  await look()
  breakWith(coded('FAIRGATE_FILE_GONE'))
  await look()
  expect(health.failure()).toBe('database_damaged')
  await look()
  expect(doubts).toEqual([null, null, 'database_damaged'])
})

test('after one lost connection requests are refused only until the check that follows at once', async () => {
  const { health } = open()
  health.explain(coded('57P01'))
  expect(health.failure()).toBe('database_unavailable')
  while (health.failure() !== null) await Promise.resolve()
})

test('a failure during a check is not disproved by it', async () => {
  const { health, breakWith, look } = open()
  breakWith(coded('SQLITE_FULL'))
  await look()
  breakWith(null)
  const looking = look()
  health.explain(coded('SQLITE_FULL'))
  await looking
  expect(health.failure()).toBe('database_full')
})

test('damage lasts until a restart, and refuses writes; a full disk lets the next one try', async () => {
  const { health, look } = open()
  health.explain(coded('SQLITE_FULL'))
  expect(health.assertWritable).not.toThrow()
  health.explain(coded('FAIRGATE_FILE_DAMAGED'))
  await look()
  health.explain(coded('ECONNREFUSED'))
  expect(health.failure()).toBe('database_damaged')
  expect(health.assertWritable).toThrow(StoreUnavailable)
})

// Fails on the previous build, for which one wrong read was final.
test('suspected damage refuses writes until a check has looked for it, whatever else fails meanwhile', async () => {
  const { health, doubts, breakWith, look } = open()
  health.explain(coded('SQLITE_CORRUPT'))
  expect(health.assertWritable).toThrow(StoreUnavailable)
  breakWith(coded('SQLITE_CANTOPEN'))
  await look()
  expect(health.failure()).toBe('database_damaged')
  breakWith(null)
  await look()
  expect(health.failure()).toBeNull()
  expect(new Set(doubts)).toEqual(new Set(['database_damaged']))
})

test('a failure of one statement leaves the store healthy', () => {
  const { health, reported } = open()
  const constraint = coded('SQLITE_CONSTRAINT_NOTNULL')
  expect(health.explain(constraint)).toBe(constraint)
  expect(health.explain(coded('SQLITE_BUSY'))).toMatchObject({
    code: 'unavailable',
    status: 503,
    reason: null,
  })
  expect(health.failure()).toBeNull()
  expect(reported).toEqual([])
})

test('a failure that comes and goes is reported about once a minute', async () => {
  const { health, reported, breakWith, look, pass } = open()
  for (let second = 0; second < 90; second += 1) {
    breakWith(coded('SQLITE_FULL'))
    health.explain(coded('SQLITE_FULL'))
    await look()
    breakWith(null)
    await look()
    pass(1000)
  }
  expect(reported.filter(line => line.endsWith('SQLITE_FULL'))).toHaveLength(2)
})

test('waiting callers are notified of each recovery', async () => {
  const { health, breakWith, look } = open()
  let recoveries = 0
  health.onRecovery(() => {
    recoveries += 1
  })
  for (const code of ['ECONNREFUSED', 'SQLITE_FULL']) {
    breakWith(coded(code))
    await look()
    breakWith(null)
    await look()
  }
  expect(recoveries).toBe(2)
})
