// Streams with a submitted charge are no longer streams: an old figure must not be written after the final one, and the answer must not be cut.
import { expect, test } from 'bun:test'
import { LedgerWriter } from './ledger-writer.ts'
import type { LedgerBatch } from './statements/ledger-batch.ts'
import {
  buildCharge,
  buildOpenStream,
  buildProgress,
  serving,
  thisProcess,
} from './testing/build-ledger-rows.ts'

function openWriter() {
  const batches: LedgerBatch[] = []
  const failures: unknown[] = []
  const timer = { tick: () => {} }
  const writer = new LedgerWriter({
    process: () => thisProcess,
    commit: async batch => void batches.push(batch),
    every: (_milliseconds, run) => {
      timer.tick = run
      return () => {}
    },
    observeCommit: () => {},
    reportFailure: error => failures.push(error),
    monotonicMs: () => 0,
    gatherWindows: () => null,
    reportWindowFailure: () => undefined,
    nextTurn: () => Promise.resolve(),
    after: (_milliseconds, run) => run(),
  })
  return { writer, batches, failures, timer }
}

test('a charged stream is no longer asked for progress', async () => {
  const { writer, batches, timer } = openWriter()
  await writer.openStream(
    buildOpenStream('a'),
    serving(() => buildProgress('a')),
  )
  await writer.charge(buildCharge('a'), () => {})
  timer.tick()
  await writer.close()
  expect(batches.flatMap(batch => batch.progress)).toEqual([])
})

test('all open streams are stopped, even if one of them fails to stop', async () => {
  const { writer, failures } = openWriter()
  const stopped: string[] = []
  for (const name of ['charged', 'dropped', 'broken', 'served']) {
    const stop = () => {
      stopped.push(name)
      if (name === 'broken') throw new Error('broken')
    }
    await writer.openStream(
      buildOpenStream(name),
      serving(() => null, stop),
    )
  }
  await writer.charge(buildCharge('charged'), () => {})
  await writer.dropStream(buildOpenStream('dropped'))
  writer.stopStreams()
  expect(stopped).toEqual(['broken', 'served'])
  expect(failures).toEqual([new Error('broken')])
})
