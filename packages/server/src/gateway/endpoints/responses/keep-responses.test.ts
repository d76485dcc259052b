// Responses on their way to the store: batches, the bounds of memory and of a team, and what happens if the store fails.
import { describe, expect, test } from 'bun:test'
import type { StoreResponsesInput } from '../../../store/statements/stored-responses.ts'
import { createByteBudget } from '../../../upstream/reply-limits.ts'
import { KeepResponses } from './keep-responses.ts'

const mebibyte = 1024 * 1024

function open({ hours = 1, bytes = mebibyte, write = async () => {} }: Partial<Surroundings> = {}) {
  const batches: StoreResponsesInput[] = []
  const reports: string[] = []
  const heldBytes = createByteBudget(bytes)
  const keep = new KeepResponses({
    write: {
      storeResponses: async input => {
        batches.push(input)
        await write()
      },
      deleteOldResponses: async () => ({ deleted: 0 }),
    },
    keep: { hours, responses_per_team: 5, mebibytes_per_team: 1 },
    heldBytes,
    clock: () => 3_600_000,
    every: () => () => undefined,
    reportUnstored: error => reports.push(String(error)),
    reportUndeleted: () => undefined,
  })
  const prepare = (callId: string, input = '[]') =>
    keep.prepare({ teamId: 'red', callId, previousCallId: null }, input)
  return { keep, prepare, batches, reports, heldBytes }
}
type Surroundings = { hours: number; bytes: number; write: () => Promise<void> }

describe('stored responses', () => {
  test('those that arrive during a commit share the next one', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { prepare, batches, heldBytes } = open({ write: () => promise })
    const stored = ['a', 'b', 'c'].map(callId => prepare(callId)?.store({ id: callId }))
    resolve()
    expect(await Promise.all(stored)).toEqual([true, true, true])
    expect(batches.map(({ responses }) => responses.map(({ callId }) => callId))).toEqual([['a'], ['b', 'c']])
    expect(batches[0]).toMatchObject({ maxCount: 5, maxBytes: mebibyte })
    expect(heldBytes.taken()).toBe(0)
  })

  test('large ones do not share a commit', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { prepare, batches } = open({ bytes: 10 * mebibyte, write: () => promise })
    const large = '[]'.padEnd(mebibyte - 100)
    const stored = ['a', 'b', 'c'].map(callId => prepare(callId, large)?.store({}))
    resolve()
    await Promise.all(stored)
    expect(batches.map(({ responses }) => responses.length)).toEqual([1, 1, 1])
  })

  test('a failure is reported once per commit, and the answers learn of it', async () => {
    const { prepare, reports, heldBytes } = open({ write: () => Promise.reject(new Error('broken')) })
    expect(await prepare('a')?.store({})).toBe(false)
    expect(reports).toEqual(['Error: broken'])
    expect(heldBytes.taken()).toBe(0)
  })

  test('an input or a response beyond the share of a team, or beyond the memory, is not stored', async () => {
    const { prepare, batches } = open({ bytes: 2 * mebibyte })
    expect(prepare('a', '[]'.padEnd(mebibyte + 1))).toBeNull()
    expect(await prepare('a')?.store({ text: 'x'.repeat(mebibyte) })).toBe(false)
    expect(batches).toEqual([])
    const small = open({ bytes: 100 })
    expect(small.prepare('a', '[]'.padEnd(101))).toBeNull()
    expect(await small.prepare('a', '[]'.padEnd(100))?.store({})).toBe(false)
  })

  test('a call that ends without an answer returns its memory, once', () => {
    const { prepare, heldBytes } = open()
    const kept = prepare('a', '[1]')
    expect(heldBytes.taken()).toBe(3)
    kept?.release()
    kept?.release()
    expect(heldBytes.taken()).toBe(0)
  })

  test('age', () => {
    expect([open().keep.isOn, open().keep.since]).toEqual([true, 0])
    expect([open({ hours: 0 }).keep.isOn, open({ hours: 0 }).keep.since]).toEqual([false, 3_600_000])
  })
})
