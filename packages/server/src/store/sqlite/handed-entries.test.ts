// Entries that another thread hands to the writing thread of a real store, and the append that names them.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../store.ts'
import { buildPackedEntries, sender } from '../testing/build-entry-to-append.ts'
import { failureOf } from '../testing/failure-of.ts'
import type { HandedBatch } from './handed-entries.ts'
import { openSqliteStore } from './open-sqlite-store.ts'

let folder: string
let store: Store
let handOver: (batch: HandedBatch) => void

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairgate-handed-'))
  store = await openSqliteStore(folder)
  handOver = openPort()
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

function openPort(): typeof handOver {
  const port = store.handover.openPort()
  return batch => port?.postMessage(batch, [batch.entries.bodies.buffer])
}

const held = (heldAs: number) => ({ heldAs, count: 1, bytes: 0 })
const append = (teamId: string, ...numbers: readonly number[]) =>
  store.write.appendEntries({
    requests: numbers.map(heldAs => ({ teamId, sender, entries: held(heldAs) })),
    now: null,
  })
const bodiesOf = async (teamId: string) => {
  const rows = await store.read.readEntriesAfter({ teamId, afterSeq: 0, limit: 100 })
  return rows.map(({ body }) => JSON.parse(body).name)
}

test('an append finds entries handed over before it, in any order', async () => {
  for (const number of [1, 2, 3, 4])
    handOver({ heldAs: number, entries: buildPackedEntries(`entry-${number}`) })
  expect(await append('t', 3, 1)).toMatchObject([
    { stored: 1, head: { seq: 1 } },
    { stored: 1, head: { seq: 2 } },
  ])
  // A new preparing thread does not remove entries handed over by the previous one.
  const handOverNext = openPort()
  handOverNext({ heldAs: 5, entries: buildPackedEntries('entry-5') })
  expect(await append('t', 5, 2)).toMatchObject([{ stored: 1 }, { stored: 1 }])
  expect(await bodiesOf('t')).toEqual(['entry-3', 'entry-1', 'entry-5', 'entry-2'])
})

// Fails if a thread discards entries when their append begins.
test('a failed append can be repeated; stored or discarded entries are gone', async () => {
  handOver({ heldAs: 1, entries: buildPackedEntries('a') })
  handOver({ heldAs: 2, entries: buildPackedEntries('b') })
  expect((await failureOf(append('t', 1, 7))).message).toMatch(/not handed/)
  expect(await append('t', 1)).toMatchObject([{ stored: 1 }])
  store.handover.discard(2)
  expect((await failureOf(append('t', 2))).message).toMatch(/not handed/)
  expect((await failureOf(append('t', 1))).message).toMatch(/not handed/)
  expect(await bodiesOf('t')).toEqual(['a'])
})
