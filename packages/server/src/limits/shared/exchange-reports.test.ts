// suite: test on postgres
// Processes hear of each other's lines through a real PostgreSQL, and no longer than they are told.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { findTestPostgres } from '../../store/testing/create-test-postgres.ts'
import type { LinesReport } from '../fair/lines-elsewhere.ts'
import { openSharedTestDatabase, type SharedTestDatabase } from '../testing/create-shared-engine.ts'
import { keepExchanging } from './exchange-reports.ts'

const server = findTestPostgres()

/** Lines that report what they are given, and remember what they hear. */
function openProcess(database: Pick<SharedTestDatabase, 'run'>, processId: string) {
  let tick = (): void => undefined
  let heard: [string, LinesReport][] = []
  let report: LinesReport | null = null
  const failures: unknown[] = []
  let monotonicMs = 0
  const stop = keepExchanging({
    lines: {
      report: () => report,
      hear: reports => {
        heard = [...reports]
      },
    },
    run: database.run,
    processId: () => processId,
    every: (_, run) => {
      tick = run
      return () => {
        tick = () => undefined
      }
    },
    monotonicMs: () => monotonicMs,
    reportFailure: error => void failures.push(error),
  })
  return {
    failures,
    heard: () => heard,
    /** Reports are heard by then, and so are those of other processes. */
    tell: async (next: LinesReport | null) => {
      report = next
      tick()
      // A connection answers in the order in which it was asked.
      await database.run({ name: 'after_report', text: 'select 1', values: [] }).catch(() => undefined)
    },
    wait: (milliseconds: number) => {
      monotonicMs += milliseconds
    },
    stop,
  }
}

const reportOf = (given: number): LinesReport => ({
  scarce: { spent: [given, 10 * given], teams: { red: [given, 10 * given, true, 0] } },
})

if (server === null) test.skip('SKIPPED: TEST_POSTGRES_URL names no server', () => undefined)
else {
  let database: SharedTestDatabase
  const move = (by: number) =>
    database.run({ name: 'move_clock', text: 'update test_clock set now_ms = now_ms + $1', values: [by] })
  beforeAll(async () => {
    database = await openSharedTestDatabase(server)
    await move(1_000_000)
  })
  afterAll(() => database.close())

  test('each hears what the others have told last, and what is old is forgotten', async () => {
    const [one, other] = [openProcess(database, 'one'), openProcess(database, 'other')]
    await one.tell(reportOf(3))
    await other.tell(reportOf(5))
    expect(other.heard()).toEqual([['one', reportOf(3)]])
    await one.tell(reportOf(4))
    expect(one.heard()).toEqual([['other', reportOf(5)]])

    await move(2001)
    await other.tell(reportOf(5))
    expect(other.heard()).toEqual([])

    // A process that was silent for long reports again, and rows of others that are as old are gone.
    await move(600_001)
    await one.tell(reportOf(6))
    await other.tell(reportOf(5))
    expect(other.heard()).toEqual([['one', reportOf(6)]])
    await one.tell(reportOf(6))

    // With nothing to report it does not ask either, and soon forgets what it has heard.
    await one.tell(null)
    expect(one.heard()).toEqual([['other', reportOf(5)]])
    one.wait(2001)
    await one.tell(null)
    expect(one.heard()).toEqual([])
    expect([...one.failures, ...other.failures]).toEqual([])
    await Promise.all([one.stop(), other.stop()])
  })

  test('what another version has told is not heard, and a failure is reported', async () => {
    const one = openProcess(database, 'one')
    await database.run({
      name: 'tell_as_newer',
      text: `insert into line_reports (process_id, told_at, report) select 'newer', now_ms, '{"scarce":7}' from test_clock`,
      values: [],
    })
    await one.tell(reportOf(1))
    expect(one.heard().map(([processId]) => processId)).not.toContain('newer')
    await one.stop()

    const failing = openProcess({ run: () => Promise.reject(new Error('The database is away.')) }, 'two')
    await failing.tell(reportOf(1))
    expect(failing.failures).toEqual([new Error('The database is away.')])
    await failing.stop()
  })
}
