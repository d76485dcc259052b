// Checks what happens to calls with a late charge: which are refunded, which wait, and which are only listed.
import { expect, test } from 'bun:test'
import { decideLateCall, type LateCall } from './settle.ts'

const unary: LateCall = {
  outcome: 'completed',
  hasFailed: false,
  hasLeft: false,
  hasBegun: false,
  isKeyed: false,
}

test.each<[string, Partial<LateCall>, ReturnType<typeof decideLateCall>]>([
  ['a whole answer', {}, 'refund'],
  ['a whole answer with a key', { isKeyed: true }, 'keep'],
  ['two choices of which one failed', { outcome: 'failed' }, 'refund'],
  ['the same with a key', { outcome: 'failed', isKeyed: true }, 'refund'],
  ['a client that left by itself', { hasLeft: true }, 'charge'],
  ['a call that failed anyway', { hasFailed: true, outcome: 'failed' }, 'charge'],
  ['a stream', { hasBegun: true }, 'undelivered'],
  ['a stream with a key', { hasBegun: true, isKeyed: true }, 'wait'],
  ['a stream that failed', { hasBegun: true, outcome: 'failed' }, 'charge'],
  ['a stream that its client left', { hasBegun: true, outcome: 'client_closed' }, 'charge'],
])('%s', (_, changes, end) => {
  expect(decideLateCall({ ...unary, ...changes })).toBe(end)
})
