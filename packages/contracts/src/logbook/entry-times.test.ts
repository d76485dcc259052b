// An entry is shown at its own time, or at its receipt if that is earlier; a claim is named only if no clock explains it.
import { expect, test } from 'bun:test'
import { readEntryTimes } from './entry-times.ts'

const received = '2026-11-21T12:00:00.000000Z'

test.each([
  ['1970-01-01T00:00:00.000000Z', '1970-01-01T00:00:00.000000Z', null],
  [received, received, null],
  ['2026-11-21T12:05:00.000000Z', received, null],
  ['2026-11-21T12:05:00.001000Z', received, '2026-11-21T12:05:00.001000Z'],
  ['2099-01-01T00:00:00.000000Z', received, '2099-01-01T00:00:00.000000Z'],
])('%s', (ts, at, claimed) => {
  expect(readEntryTimes({ ts, received_at: received })).toEqual({ at, claimed })
})
