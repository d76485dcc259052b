// A logbook that asks the recorder to wait is left alone, but neither a wrong clock nor an absurd wait stops the sending for ever.
import { expect, test } from 'bun:test'
import { remainingWait } from './last-send.ts'

const now = Date.parse('2026-11-21T12:00:00Z')

test.each([
  ['2026-11-21T12:00:30Z', 30_000],
  ['2026-11-21T11:59:59Z', 0],
  ['2026-11-22T12:00:00Z', 0],
  ['soon', 0],
  [null, 0],
])('until %s', (waitUntil, expected) => {
  const lastSend = {
    at: '',
    sent: 0,
    duplicates: 0,
    rejected: 0,
    kept: 0,
    stop: null,
    waitUntil,
    clockBehindMs: 0,
  }
  expect(remainingWait(lastSend, now)).toBe(expected)
})
