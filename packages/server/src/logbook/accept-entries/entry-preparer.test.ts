// Large requests are prepared on a separate thread, with the same result.
import { afterEach, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { receiveMessageOnPort } from 'node:worker_threads'
import type { HandedBatch } from '../../store/sqlite/handed-entries.ts'
import { type PackedEntries, packEntries, unpackEntries } from '../../store/statements/packed-entries.ts'
import { failureOf } from '../../store/testing/failure-of.ts'
import { buildEntry, encodeBatch } from '../testing/build-entry.ts'
import { EntryPreparer } from './entry-preparer.ts'
import { prepareEntries } from './prepare-entries.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
let preparer: EntryPreparer | null = null
let discarded: number[] = []

function open(openPort: () => MessagePort | null = () => null): EntryPreparer {
  discarded = []
  const handover = { openPort, discard: (heldAs: number) => discarded.push(heldAs) }
  preparer = new EntryPreparer({ clock: () => now, handover, randomBytes })
  return preparer
}

afterEach(() => {
  preparer?.close()
  preparer = null
})

/** Constant instead of random bytes, so that the members derived from them can be compared. */
const withoutSalts = (entries: PackedEntries) => ({
  ...entries,
  salts: entries.salts.length,
  commitments: entries.commitments.length,
})

function isPacked(entries: object): entries is PackedEntries {
  return 'salts' in entries
}

const large = () => encodeBatch([buildEntry({ tool_error: 'x'.repeat(50_000) })])

test('large and small requests are prepared alike', async () => {
  const entries = Array.from({ length: 100 }, (_, n) =>
    buildEntry({ n, prompt: `\ud800${'x'.repeat(1200)}` }),
  )
  const opened = open()
  for (const batch of [entries.slice(0, 2), [...entries, null]]) {
    const { prepared, ...judged } = prepareEntries(encodeBatch(batch), now)
    const { entries, ...verdict } = await opened.prepare(encodeBatch(batch))
    if (!isPacked(entries)) throw new Error('They were handed over.')
    expect(verdict).toEqual(judged)
    expect(withoutSalts(entries)).toEqual(withoutSalts(packEntries(prepared, randomBytes)))
    const hash = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest('hex')
    const salts = new Set<string>()
    for (const { salt, identity, body, commitment } of unpackEntries(entries)) {
      const digest = Buffer.from(hash(body), 'hex')
      expect(Buffer.from(commitment).toString('hex')).toBe(hash(salt, Buffer.from(identity, 'hex'), digest))
      salts.add(Buffer.from(salt).toString('hex'))
    }
    expect(salts.size).toBe(prepared.length)
  }
})

// Shown to fail by a preparing thread that also sends the entries back.
test('entries of a large request go only to the writing thread; this one gets their number', async () => {
  const { port1: writing, port2: preparing } = new MessageChannel()
  const opened = open(() => preparing)
  for (const heldAs of [1, 2]) {
    const { prepared } = prepareEntries(large(), now)
    const entries = packEntries(prepared, randomBytes)
    expect(await opened.prepare(large())).toEqual({
      received: 1,
      rejected: [],
      warnings: [],
      entries: { heldAs, count: 1, bytes: entries.bytes },
    })
    const handed: { readonly message: HandedBatch } | undefined = receiveMessageOnPort(writing)
    expect(handed?.message.heldAs).toBe(heldAs)
    expect(handed && withoutSalts(handed.message.entries)).toEqual(withoutSalts(entries))
  }
})

test('bytes within a shared buffer are copied, not detached from their neighbours', async () => {
  const bytes = large()
  const shared = new Uint8Array(bytes.byteLength + 10)
  shared.set(bytes, 5)
  const batch = await open().prepare(shared.subarray(5, 5 + bytes.byteLength))
  expect(batch.entries.count).toBe(1)
  expect(shared.byteLength).toBe(bytes.byteLength + 10)
})

test('a refusal keeps its code when it comes from the thread', async () => {
  const opened = open()
  const broken = new TextEncoder().encode(`{"entries":[${' '.repeat(40_000)}`)
  expect(await failureOf(opened.prepare(broken))).toMatchObject({ code: 'invalid_json', status: 400 })
  const tooMany = encodeBatch(Array(501).fill(buildEntry()))
  expect(await failureOf(opened.prepare(tooMany))).toMatchObject({ code: 'too_many_entries' })
  expect(await opened.prepare(encodeBatch([]))).toMatchObject({ received: 0 })
})

test('requests that wait when the thread closes, and later ones, are refused and discarded', async () => {
  const opened = open()
  const waiting = opened.prepare(large())
  opened.close()
  expect(await failureOf(waiting)).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '1' } })
  expect(discarded).toEqual([1])
  expect(await failureOf(opened.prepare(new Uint8Array(50_000)))).toMatchObject({ code: 'unavailable' })
})
