// Large requests are prepared on a thread of their own, with the same outcome.
import { afterEach, expect, test } from 'bun:test'
import { failureOf } from '../../store/testing/failure-of.ts'
import { buildEntry, encodeBatch } from '../testing/build-entry.ts'
import { createEntryPreparer, type EntryPreparer } from './create-entry-preparer.ts'
import { prepareEntries } from './prepare-entries.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
let preparer: EntryPreparer | null = null

function open(): EntryPreparer {
  preparer = createEntryPreparer({ clock: () => now })
  return preparer
}

afterEach(() => {
  preparer?.close()
  preparer = null
})

test('large and small requests are prepared alike', async () => {
  const entries = Array.from({ length: 100 }, (_, n) =>
    buildEntry({ n, prompt: `\ud800${'x'.repeat(1200)}` }),
  )
  const { prepare } = open()
  for (const batch of [entries.slice(0, 2), [...entries, null]]) {
    expect(await prepare(encodeBatch(batch))).toEqual(prepareEntries(encodeBatch(batch), now))
  }
})

test('bytes within a shared buffer are copied, not taken away from their neighbours', async () => {
  const bytes = encodeBatch([buildEntry({ tool_error: 'x'.repeat(50_000) })])
  const shared = new Uint8Array(bytes.byteLength + 10)
  shared.set(bytes, 5)
  const batch = await open().prepare(shared.subarray(5, 5 + bytes.byteLength))
  expect(batch.prepared).toHaveLength(1)
  expect(shared.byteLength).toBe(bytes.byteLength + 10)
})

test('a refusal crosses from the thread with its code', async () => {
  const { prepare } = open()
  const broken = new TextEncoder().encode(`{"entries":[${' '.repeat(40_000)}`)
  expect(await failureOf(prepare(broken))).toMatchObject({ code: 'invalid_json', status: 400 })
  const tooMany = encodeBatch(Array(501).fill(buildEntry()))
  expect(await failureOf(prepare(tooMany))).toMatchObject({ code: 'too_many_entries' })
  expect(await prepare(encodeBatch([]))).toMatchObject({ received: 0 })
})

test('what waits when the thread is closed is refused, and so is what comes later', async () => {
  const { prepare, close } = open()
  const waiting = prepare(encodeBatch([buildEntry({ tool_error: 'x'.repeat(50_000) })]))
  close()
  expect(await failureOf(waiting)).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '1' } })
  expect(await failureOf(prepare(new Uint8Array(50_000)))).toMatchObject({ code: 'unavailable' })
})
