// A clock that is off is noticed at the first reply, in words that say which way, and small differences are not mentioned.
import { expect, test } from 'bun:test'
import { compareClocks, describeClock } from './compare-clocks.ts'

const second = 1000
const hour = 3600 * second

test.each([
  [3 * hour, '3 h behind the logbook'],
  [-26 * hour, '26 h ahead of the logbook'],
  [5 * 60 * second, '5 min behind the logbook'],
  [90 * second, null],
  [-20 * second, null],
])('%d ms', async (behindMs, said) => {
  const replies = [behindMs, 0]
  const clocks = compareClocks(
    async () => ({
      kind: 'reply',
      status: 200,
      body: {},
      isEmpty: false,
      teamId: null,
      location: null,
      retryAfterMs: null,
      sentAt: 10 * hour + (replies.shift() ?? 0),
    }),
    () => 10 * hour,
  )
  expect(clocks.behindMs()).toBeNull()
  for (let call = 0; call < 2; call += 1) await clocks.call({ method: 'GET', path: '/', timeoutMs: 1 })
  const text = describeClock(clocks.behindMs() ?? 0)
  if (said === null) expect(text).toBeNull()
  else expect(text).toContain(said)
})
