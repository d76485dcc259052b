// Whole replies: within their bound and that of all together, complete or not, and every held byte is returned.
import { describe, expect, test } from 'bun:test'
import { failureOf } from '../store/testing/failure-of.ts'
import { PatientTimers } from '../world/patient-timers.ts'
import { readErrorBody, readWhole } from './read-whole.ts'
import { createByteBudget } from './reply-limits.ts'

const bounds = (together = 1000) => ({ silenceMs: 60_000, heldBytes: createByteBudget(together) })
const timers = new PatientTimers()
const readAll = async (response: Response, most: number, bounds: Parameters<typeof readWhole>[2]) =>
  readWhole(response, most, bounds, timers, () => undefined)
const stream = (...pieces: readonly string[]) =>
  new ReadableStream<Uint8Array>({
    start: controller => {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
    },
  })
const reply = (pieces: readonly string[], headers: Record<string, string> = {}) =>
  new Response(stream(...pieces), { headers })

test.each([
  ['in pieces', ['{"a":', '1}'], {}],
  ['at once, with its size', ['{"a":1}'], { 'content-length': '7' }],
  ['said not to be compressed', ['{"a":1}'], { 'content-encoding': 'identity' }],
])('a reply %s', async (_, pieces, headers) => {
  const all = bounds()
  const read = await readAll(reply(pieces, headers), 100, all)
  expect(await read.json()).toEqual({ a: 1 })
  read.release()
  expect(all.heldBytes.taken()).toBe(0)
})

describe('a refused reply leaves nothing held', () => {
  test.each([
    ['too large', ['x'.repeat(60), 'x'.repeat(41)], {}],
    ['announced as too large', ['x'], { 'content-length': '101' }],
    ['compressed', ['x'], { 'content-encoding': 'gzip' }],
    ['compressed by something new', ['x'], { 'content-encoding': 'zstd' }],
  ])('%s', async (_, pieces, headers) => {
    const all = bounds()
    const failure = await failureOf(readAll(reply(pieces, headers), 100, all))
    expect(failure).toMatchObject({ code: 'upstream_error' })
    expect(all.heldBytes.taken()).toBe(0)
  })
})

test('if all together are too large, one waits until another is done', async () => {
  const all = bounds(100)
  const first = await readAll(reply(['x'.repeat(80)]), 100, all)
  let isRead = false
  const second = readAll(reply(['"', 'y'.repeat(50), '"']), 100, all).then(async read => {
    isRead = true
    return read
  })
  await new Promise(resolve => setImmediate(resolve))
  expect(isRead).toBe(false)
  first.release()
  const whole = await second
  expect(whole.json()).toBe('y'.repeat(50))
  whole.release()
  expect(all.heldBytes.taken()).toBe(0)
})

test.each([
  ['JSON', ['{"error":', '{"code":1}}'], { error: { code: 1 } }],
  ['a page', ['<html>'], null],
  ['nothing', [], null],
  [
    'more than is read',
    ['{"error":{"message":"', 'x'.repeat(100_000), '"}}'],
    { error: { message: 'x'.repeat(64 * 1024 - 21) } },
  ],
])('the content of a refusal: %s', async (_, pieces, said) => {
  expect(await readErrorBody(reply(pieces), 60_000, timers)).toEqual(said)
})
