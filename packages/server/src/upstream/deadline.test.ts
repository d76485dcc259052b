// Checks when a time limit ends a call: normally in time, and late only if nothing that has arrived can still be read.
import { expect, test } from 'bun:test'
import { Deadline } from '../world/patient-timers.ts'
import { createManualTimers } from './testing/create-manual-timers.ts'

test('a limit noticed in time ends the call at once', () => {
  const { timers, pass } = createManualTimers()
  const deadline = new Deadline(timers, 1000, null)
  pass(999)
  expect(deadline.signal.aborted).toBe(false)
  pass(1)
  expect([deadline.signal.aborted, deadline.isExpired()]).toEqual([true, true])
})

// Fails on a deadline that expires whenever its timer fires.
test('a limit that a frozen process notices late is extended by a second, once', () => {
  const { timers, pass, freeze } = createManualTimers()
  const deadline = new Deadline(timers, 1000, null)
  freeze(60_000)
  expect(deadline.signal.aborted).toBe(false)
  pass(999)
  expect(deadline.signal.aborted).toBe(false)
  freeze(60_000)
  expect(deadline.isExpired()).toBe(true)
})

test('a call that ends in the extension is no failure', () => {
  const { timers, pass, freeze } = createManualTimers()
  const deadline = new Deadline(timers, 1000, null)
  freeze(60_000)
  deadline.end()
  pass(60_000)
  expect([deadline.signal.aborted, deadline.isExpired(), timers.running()]).toEqual([false, false, 0])
})

test('the caller can end it at any time, and no timer stays', () => {
  const { timers } = createManualTimers()
  const caller = new AbortController()
  const deadline = new Deadline(timers, 1000, caller.signal)
  caller.abort()
  expect([deadline.signal.aborted, deadline.isExpired(), timers.running()]).toEqual([true, false, 0])
})
