// The state of the windows goes to disk with the charges of the same moment, and never blocks them.
import { describe, expect, test } from 'bun:test'
import { LedgerWriter, type WindowWrite } from './ledger-writer.ts'
import type { LedgerBatch } from './statements/ledger-batch.ts'
import { buildCharge, buildOpenStream, serving, thisProcess } from './testing/build-ledger-rows.ts'

const nothing = () => undefined

/** Windows that change with every call of `change`, and a commit that the test can make fail. */
function openWriter(failure: (batch: LedgerBatch) => Error | null = () => null) {
  const batches: { charges: number; opened: number; windows: string | null }[] = []
  const reported: string[] = []
  const timer = { run: nothing as () => void }
  let changed = 0
  let sequence = 0
  const gatherWindows = (scope: 'commit' | 'second'): WindowWrite | null => {
    if (changed === 0) return null
    const gathered = changed
    changed = 0
    sequence += 1
    const row = { sequence, writtenAt: 0, wallAt: 0, changes: `${scope} ${gathered}` }
    return {
      change: { row, drop: [] },
      written: () => reported.push('written'),
      failed: () => {
        changed += gathered
        reported.push('failed')
      },
    }
  }
  const writer = new LedgerWriter({
    process: () => thisProcess,
    commit: async batch => {
      const error = failure(batch)
      if (error !== null) throw error
      const { charges, opened, windows } = batch
      batches.push({ charges: charges.length, opened: opened.length, windows: windows?.row?.changes ?? null })
    },
    gatherWindows,
    reportWindowFailure: error => reported.push(`windows: ${error instanceof Error ? error.message : error}`),
    every: (_milliseconds, run) => {
      timer.run = run
      return nothing
    },
    observeCommit: nothing,
    reportFailure: error => reported.push(`charges: ${error instanceof Error ? error.message : error}`),
    monotonicMs: () => 0,
    nextTurn: () => Promise.resolve(),
    after: (_milliseconds, run) => run(),
  })
  return {
    writer,
    batches,
    reported,
    change: () => {
      changed += 1
    },
    /** A second passes; resolves when it has been written. */
    tick: async () => {
      timer.run()
      await Bun.sleep(0)
    },
  }
}

const badWindows = ({ windows }: LedgerBatch) => (windows === null ? null : new Error('no such table'))

describe('window rows', () => {
  // Fails if windows are gathered only once a second (`if (!windowsDue) return null` in collectWindows).
  test('are part of each commit that charges or opens a stream', async () => {
    const { writer, batches, change } = openWriter()
    change()
    await writer.charge(buildCharge('a'), nothing)
    change()
    await writer.openStream(
      buildOpenStream('b'),
      serving(() => null),
    )
    await writer.charge(buildCharge('c'), nothing)
    expect(batches).toEqual([
      { charges: 1, opened: 0, windows: 'commit 1' },
      { charges: 0, opened: 1, windows: 'commit 1' },
      { charges: 1, opened: 0, windows: null },
    ])
  })

  test('are written each second even if nothing else is, and not without changes', async () => {
    const { batches, change, tick } = openWriter()
    await tick()
    change()
    await tick()
    await tick()
    expect(batches).toEqual([{ charges: 0, opened: 0, windows: 'second 1' }])
  })

  test('that settlements change after the last charge are written before the end', async () => {
    const { writer, batches, change } = openWriter()
    await writer.charge(buildCharge('a'), nothing)
    const isWritten = writer.close()
    change()
    expect(await isWritten).toBe(true)
    expect(batches.at(-1)).toEqual({ charges: 0, opened: 0, windows: 'second 1' })
  })

  // Fails if the charges are rejected when a commit with windows fails.
  test('that cannot be written do not block a charge: a warning is logged, and the next second retries', async () => {
    let isBroken = true
    const { writer, batches, reported, change, tick } = openWriter(batch =>
      isBroken ? badWindows(batch) : null,
    )
    change()
    await writer.charge(buildCharge('a'), nothing)
    change()
    await writer.charge(buildCharge('b'), nothing)
    expect(batches).toEqual([
      { charges: 1, opened: 0, windows: null },
      { charges: 1, opened: 0, windows: null },
    ])
    expect(reported).toEqual(['failed', 'windows: no such table'])
    expect(writer.isHealthy()).toBe(true)
    await tick()
    expect(reported).toEqual(['failed', 'windows: no such table', 'failed', 'windows: no such table'])
    isBroken = false
    await tick()
    expect(batches.at(-1)).toEqual({ charges: 0, opened: 0, windows: 'second 2' })
    change()
    await writer.charge(buildCharge('c'), nothing)
    expect(batches.at(-1)).toEqual({ charges: 1, opened: 0, windows: 'commit 1' })
  })

  // Fails if only the charges without the windows are tried, and never the windows without the charges.
  test('a charge at fault is reported as such, and its neighbour and the windows are written', async () => {
    const isBad = ({ charges }: LedgerBatch) =>
      charges.some(({ callId }) => callId === 'bad') ? new Error('bad row') : null
    const { writer, batches, reported, change, tick } = openWriter(isBad)
    change()
    const first = writer.charge(buildCharge('first'), nothing)
    change()
    const both = Promise.allSettled([
      writer.charge(buildCharge('good'), nothing),
      writer.charge(buildCharge('bad'), nothing),
    ])
    await first
    expect((await both).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(reported).toEqual(['written', 'written', 'charges: bad row'])
    // The charge at fault is tried again each second, and the windows are written all the same.
    change()
    await tick()
    expect(batches.flatMap(({ windows }) => windows ?? [])).toEqual(['commit 1', 'commit 1', 'second 1'])
  })

  test('a store that is away is tried once, not once with windows and once without', async () => {
    let tries = 0
    const { writer, reported, change } = openWriter(() => {
      tries += 1
      return Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
    })
    change()
    const [outcome] = await Promise.allSettled([writer.charge(buildCharge('a'), nothing)])
    expect(outcome?.status).toBe('rejected')
    expect(tries).toBe(1)
    expect(reported).toEqual(['failed', 'charges: full'])
  })

  test('windows that cannot be collected do not block a charge', async () => {
    const reported: unknown[] = []
    const writer = new LedgerWriter({
      process: () => thisProcess,
      commit: async () => undefined,
      gatherWindows: () => {
        throw new Error('broken')
      },
      reportWindowFailure: error => reported.push(error),
      every: () => nothing,
      observeCommit: nothing,
      reportFailure: nothing,
      monotonicMs: () => 0,
      nextTurn: () => Promise.resolve(),
      after: (_milliseconds, run) => run(),
    })
    await writer.charge(buildCharge('a'), nothing)
    expect(reported).toEqual([new Error('broken')])
    expect(await writer.close()).toBe(true)
  })
})
