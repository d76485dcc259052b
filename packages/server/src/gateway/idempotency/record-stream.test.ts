// Checks the memory of a recording, and what happens to a stream that is too large for it.
import { expect, test } from 'bun:test'
import { eventsOf } from '../../http/server-sent-events.ts'
import { createByteBudget } from '../../upstream/reply-limits.ts'
import { recordStream } from './record-stream.ts'

const nextTurn = () => new Promise(resolve => setImmediate(resolve))

/** A stream of so many pieces of ten bytes, recorded within bounds. */
function record({ pieces = 10, maxBytes = 1000, together = 1000 } = {}) {
  const recordedBytes = createByteBudget(together)
  const client = new AbortController()
  const kept: (Uint8Array | null)[] = []
  let made = 0
  let isStopped = false
  let hasEnded = false
  async function* write(): AsyncGenerator<string, void> {
    try {
      while (made < pieces && !isStopped) {
        made += 1
        yield 'ten bytes.'
      }
    } finally {
      hasEnded = true
    }
  }
  const written = Object.assign(write(), { keepAlive: () => ': here\n\n' })
  const { response, kept: whenKept } = recordStream(written, {
    maxBytes,
    recordedBytes,
    headers: {},
    keep: async body => {
      kept.push(body)
    },
    signal: client.signal,
    stop: () => {
      isStopped = true
    },
  })
  // As the server reads them: one when the last is out.
  const events = eventsOf(response)
  return {
    read: async () => (await events?.next())?.value,
    readAll: async () => {
      let text = ''
      for await (const piece of events ?? []) text += String(piece)
      return text
    },
    leave: () => client.abort(),
    keepAlive: () => events?.keepAlive?.(),
    kept,
    whenKept,
    recordedBytes,
    made: () => made,
    isStopped: () => isStopped,
    hasEnded: () => hasEnded,
  }
}

test('within the bounds it is read to its end without a client and kept whole, and its memory is returned', async () => {
  const { leave, whenKept, kept, recordedBytes, isStopped } = record()
  leave()
  await whenKept
  expect([kept.length, kept[0]?.byteLength, isStopped()]).toEqual([1, 100, false])
  expect(recordedBytes.taken()).toBe(0)
})

test('while it is silent its client is kept alive as without a recording, and that is not recorded', async () => {
  const { read, readAll, keepAlive, whenKept, kept } = record()
  await read()
  expect(keepAlive()).toBe(': here\n\n')
  await readAll()
  await whenKept
  expect(Buffer.from(kept[0] ?? []).toString()).toBe('ten bytes.'.repeat(10))
})

// Each of the following was shown to fail by a bound that is not checked in `put`.
test.each([
  ['its own bound', { pieces: 1000, maxBytes: 100 }],
  ['that of all recordings', { pieces: 1000, maxBytes: 100_000, together: 100 }],
])('beyond %s a client gets all of it as it reads, and nothing is kept', async (_, bounds) => {
  const { read, readAll, kept, made, recordedBytes } = record(bounds)
  await read()
  for (let turn = 0; turn < 50; turn += 1) await nextTurn()
  expect(made()).toBeLessThan(20)
  expect(recordedBytes.taken()).toBeLessThanOrEqual(100)
  expect(`ten bytes.${await readAll()}`).toBe('ten bytes.'.repeat(1000))
  expect(kept).toEqual([null])
  expect(recordedBytes.taken()).toBe(0)
})

test('beyond a bound without a client it is stopped', async () => {
  const { leave, whenKept, kept, made, isStopped, hasEnded, recordedBytes } = record({
    pieces: 1000,
    maxBytes: 100,
  })
  leave()
  await whenKept
  expect([kept, isStopped(), hasEnded()]).toEqual([[null], true, true])
  expect(made()).toBeLessThan(20)
  expect(recordedBytes.taken()).toBe(0)
})

test('a client that leaves beyond a bound ends the stream', async () => {
  const { read, leave, whenKept, kept, made, isStopped, recordedBytes } = record({
    pieces: 1000,
    maxBytes: 100,
  })
  await read()
  for (let turn = 0; turn < 10; turn += 1) await nextTurn()
  leave()
  await whenKept
  expect([kept, isStopped()]).toEqual([[null], true])
  expect(made()).toBeLessThan(20)
  expect(recordedBytes.taken()).toBe(0)
})

test('a finished recording makes room for the next', async () => {
  const budget = { pieces: 10, together: 100 }
  const first = record(budget)
  await first.readAll()
  expect([first.kept[0]?.byteLength, first.recordedBytes.taken()]).toEqual([100, 0])
})
