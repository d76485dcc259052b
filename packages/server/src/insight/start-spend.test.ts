// The hourly proof of the totals: one of several processes makes it, all show it, and errors are logged.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { openTestDirectory } from '../directory/testing/open-test-directory.ts'
import type { SpendCheckFigures } from '../http/metrics.ts'
import { createMemoryLimits } from '../limits/memory/create-memory-limits.ts'
import { buildCharge } from '../store/testing/build-ledger-rows.ts'
import { charge } from '../store/testing/suite/store-actions.ts'
import { type SpendParts, startSpend } from './start-spend.ts'

let opened: Awaited<ReturnType<typeof openTestDirectory>>
beforeEach(async () => {
  opened = await openTestDirectory()
})
afterEach(() => opened.close())

/** A process with hours that pass on command. */
function startProcess(read: Partial<SpendParts['store']['read']> = {}) {
  const { store, directory, time } = opened
  const clock = () => time.now
  const lines: object[] = []
  let waiting = Promise.withResolvers<{ readonly milliseconds: number; readonly pass: () => void }>()
  let figures = (): SpendCheckFigures | null => null
  const spend = startSpend({
    store: { ...store, read: { ...store.read, ...read } },
    directory,
    clock,
    stopwatch: () => 0,
    sumRecent: store.read.sumSpend,
    limits: createMemoryLimits({ clock }),
    random: () => 0.5,
    wait: (milliseconds, signal) => {
      // The pauses of the proof.
      if (milliseconds < 1000) return Promise.resolve()
      const { promise, resolve: pass } = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => pass())
      waiting.resolve({ milliseconds, pass })
      return promise
    },
    metrics: {
      watch: ({ spendCheck = () => null }) => {
        figures = spendCheck
      },
    },
    log: { warn: () => undefined, error: (fields: object) => lines.push(fields) },
  })
  return {
    ...spend,
    lines,
    figures: () => figures(),
    /** Lets the next check run; resolves when it has. Returns how long the process has waited. */
    passHour: async (): Promise<number> => {
      const { milliseconds, pass } = await waiting.promise
      waiting = Promise.withResolvers()
      time.now += milliseconds
      pass()
      await waiting.promise
      return milliseconds
    },
  }
}

// Fails without the claim: both processes then log.
test('one of two processes proves the totals, and both show the result', async () => {
  await charge(opened.store, buildCharge('019e2f6a-4c1b-7d3e-8f00-000000000001'))
  await sql`update totals set lifetime_nano = 11 where owner = 'team:team-1'`.execute(opened.db)
  const [first, second] = [startProcess(), startProcess()]
  expect(first.figures()).toBeNull()
  expect(await first.passHour()).toBe(0.06 * 3_600_000)
  await second.passHour()
  expect(first.lines).toMatchObject([
    { wrong_totals: 1, first: { owner: 'team:team-1', total_nano: 11, rows_nano: 10 } },
  ])
  expect(second.lines).toEqual([])
  expect(first.figures()?.wrongTotals).toBe(1)
  expect(second.figures()).toEqual(first.figures())
  // It is right again an hour later.
  await sql`update totals set lifetime_nano = 10 where owner = 'team:team-1'`.execute(opened.db)
  expect(await second.passHour()).toBe(3_600_000)
  expect(second.figures()?.wrongTotals).toBe(0)
  expect(second.lines).toEqual([])
  await first.stop()
  await second.stop()
})

test('two requests for the same proof share one', async () => {
  const { parts, stop } = startProcess()
  const all = { teamId: null, isWhole: false }
  const [first, second, whole] = await Promise.all([
    parts.proveTotals(all),
    parts.proveTotals(all),
    parts.proveTotals({ ...all, isWhole: true }),
  ])
  expect(second).toBe(first)
  expect(whole).not.toBe(first)
  expect(first).toMatchObject({ ok: true })
  await stop()
})

// Fails if the proof continues: it then sums all three teams.
test('a proof ends when its client leaves, unless another client waits for it', async () => {
  for (const [index, teamId] of ['red', 'green', 'blue'].entries())
    await charge(opened.store, buildCharge(`019e2f6a-4c1b-7d3e-8f00-00000000000${index}`, { teamId }))
  const client = new AbortController()
  const summed: string[] = []
  const { parts, stop } = startProcess({
    readLedgerEnd: input => {
      summed.push(input.teamId)
      client.abort(new Error('left'))
      return opened.store.read.readLedgerEnd(input)
    },
  })
  const all = { teamId: null, isWhole: false }
  const left = await parts.proveTotals(all, client.signal).catch((error: Error) => error.message)
  expect(left).toBe('left')
  const other = new AbortController()
  const [gone, stays] = await Promise.allSettled([
    parts.proveTotals(all, AbortSignal.any([other.signal, client.signal])),
    parts.proveTotals(all, other.signal),
  ])
  expect([gone.status, stays.status]).toEqual(['rejected', 'fulfilled'])
  expect(summed).toEqual(['blue', 'blue', 'green', 'red'])
  await stop()
})
