// A body within bounds: its size, its silences, and the moment from which it counts as ended.
import { expect, test } from 'bun:test'
import { failureOf } from '../store/testing/failure-of.ts'
import { type ByteLimits, ByteReader } from './byte-reader.ts'
import { createManualTimers } from './testing/create-manual-timers.ts'

function open(options: Partial<ByteLimits> = {}) {
  const { timers, pass, freeze } = createManualTimers()
  let sender: ReadableStreamDefaultController<Uint8Array> | undefined
  let isCancelled = false
  let isExpired = false
  const body = new ReadableStream<Uint8Array>({
    start: controller => {
      sender = controller
    },
    cancel: () => {
      isCancelled = true
    },
  })
  const reader = new ByteReader(body, { maxBytes: 100, silenceMs: 5000, ...options }, timers, () => {
    isExpired = true
  })
  return {
    reader,
    pass,
    freeze,
    running: () => timers.running(),
    send: (bytes: number) => sender?.enqueue(new Uint8Array(bytes)),
    close: () => sender?.close(),
    fail: () => sender?.error(new Error('broken')),
    isCancelled: () => isCancelled,
    isExpired: () => isExpired,
  }
}

test('returns pieces as they come, to the end, and leaves no timer', async () => {
  const { reader, send, close, running } = open()
  send(60)
  send(40)
  close()
  const sizes = [await reader.read(), await reader.read(), await reader.read(), await reader.read()]
  expect(sizes.map(({ value }) => value?.length)).toEqual([60, 40, undefined, undefined])
  expect(running()).toBe(0)
})

test('a byte too many ends it and stops the upstream', async () => {
  const { reader, send, isCancelled } = open()
  send(60)
  send(41)
  await reader.read()
  expect(await failureOf(reader.read())).toMatchObject({ code: 'upstream_error' })
  expect(isCancelled()).toBe(true)
  expect((await reader.read()).done).toBe(true)
})

test('a broken body leaves no timer behind', async () => {
  const { reader, send, fail, running } = open()
  send(1)
  await reader.read()
  fail()
  expect(String(await failureOf(reader.read()))).toContain('broken')
  expect(running()).toBe(0)
})

test('there is no silence before the first byte', async () => {
  const { reader, pass, isExpired } = open()
  void reader.read()
  pass(60_000)
  expect(isExpired()).toBe(false)
})

test('silence counts from the last byte, while a read waits', async () => {
  const { reader, send, pass, isExpired } = open()
  send(1)
  await reader.read()
  // The client does not read: that is not a silence of the upstream.
  pass(60_000)
  expect(isExpired()).toBe(false)
  const next = reader.read()
  pass(4999)
  expect(isExpired()).toBe(false)
  send(1)
  await next
  void reader.read()
  pass(4999)
  expect(isExpired()).toBe(false)
  pass(5001)
  expect(isExpired()).toBe(true)
})

// Fails on a reader that treats every late look at the clock as silence.
test('a frozen process is not a silence before the arrived bytes could be read', async () => {
  const { reader, send, pass, freeze, isExpired } = open()
  send(1)
  await reader.read()
  const next = reader.read()
  freeze(60_000)
  expect(isExpired()).toBe(false)
  send(1)
  expect((await next).done).toBe(false)
  pass(2000)
  expect(isExpired()).toBe(false)
})

test('a complete answer ends after this time, whatever arrives and even if a read waits', async () => {
  const { reader, send, pass, running, isCancelled } = open()
  send(1)
  await reader.read()
  reader.endWithin(10_000)
  reader.endWithin(1000)
  reader.endWithin(3000)
  const next = reader.read()
  pass(999)
  send(1)
  expect((await next).done).toBe(false)
  const last = reader.read()
  pass(1)
  expect([(await last).done, isCancelled(), running()]).toEqual([true, true, 0])
})

test('a silent body is asked whether it is complete, again only after a while', async () => {
  let asked = 0
  let isWhole = false
  const { reader, send, pass } = open({
    isComplete: () => {
      asked += 1
      return isWhole
    },
  })
  send(1)
  await reader.read()
  const next = reader.read()
  pass(1000)
  expect(asked).toBe(1)
  isWhole = true
  pass(1000)
  expect([asked, (await next).done]).toEqual([2, true])
})

// Shown to fail on the previous version: a complete answer was given up as silent.
test('a frozen process notices a complete body before a silence', async () => {
  const { reader, send, freeze, pass, isExpired } = open({ isComplete: () => true })
  send(1)
  await reader.read()
  const next = reader.read()
  freeze(6000)
  pass(1000)
  expect([(await next).done, isExpired()]).toEqual([true, false])
})
