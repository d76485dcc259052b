// A stream's progress after its charge was handed over: an old figure must not be written behind the final one.
import { expect, test } from 'bun:test'
import { LedgerWriter } from './ledger-writer.ts'
import type { LedgerBatch } from './statements/ledger-batch.ts'
import { buildCharge, buildOpenStream, buildProgress, thisProcess } from './testing/build-ledger-rows.ts'

test('a stream that has been charged is no longer asked for progress', async () => {
  const batches: LedgerBatch[] = []
  const timer = { tick: () => {} }
  const writer = new LedgerWriter({
    process: () => thisProcess,
    commit: async batch => void batches.push(batch),
    every: (_milliseconds, run) => {
      timer.tick = run
      return () => {}
    },
    observeCommit: () => {},
    reportFailure: () => {},
    monotonicMs: () => 0,
    gatherWindows: () => null,
    reportWindowFailure: () => undefined,
    nextTurn: () => Promise.resolve(),
    after: (_milliseconds, run) => run(),
  })
  await writer.openStream(buildOpenStream('a'), () => buildProgress('a'))
  await writer.charge(buildCharge('a'), () => {})
  timer.tick()
  await writer.close()
  expect(batches.flatMap(batch => batch.progress)).toEqual([])
})
