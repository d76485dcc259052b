// Checks how clients may set the wait of their calls, and which values are refused.
import { expect, test } from 'bun:test'
import { Call } from '../../http/call.ts'
import { readPatience } from './read-patience.ts'

function read(said: string | null): number {
  const request = new Request('http://fairgate/v1/chat/completions', {
    headers: said === null ? {} : { 'x-gateway-queue-ms': said },
  })
  const surroundings = { newCallId: () => 'call', stopwatch: () => 0, readClientAddress: () => null }
  const call = new Call(surroundings, request, { timeout: () => undefined, requestIP: () => null }, 'POST')
  return readPatience(call, 5000).waitMs
}

test.each([
  [null, 5000],
  ['0', 0],
  ['250', 250],
  ['60000', 60_000],
])('%p waits %d ms', (said, expected) => {
  expect(read(said)).toBe(expected)
})

test.each(['', '-1', '1.5', '5s', '60001', '600000', '1e3'])(
  '%p is refused, and the header is named',
  said => {
    expect(() => read(said)).toThrow(
      'x-gateway-queue-ms must be a whole number of milliseconds from 0 to 60000.',
    )
  },
)
