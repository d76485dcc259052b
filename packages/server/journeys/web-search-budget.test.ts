// The input from a search cannot be foreseen, so such a call is admitted only if the budget covers the whole context.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
beforeAll(async () => {
  fairgate = await startFairgate()
})
afterAll(() => fairgate.stop())

test('spec 8: a budget that covers a plain call, but not everything that a search may read', async () => {
  const key = await fairgate.manage.team('team-a', { max_budget: 0.1 })
  const ask = (changes: object) =>
    fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'mm-2.5-flash',
        messages: [{ role: 'user', content: 'Hi' }],
        max_tokens: 10,
        ...changes,
      }),
    })
  const refused = await ask({ web_search_options: {} })
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({ error: { code: 'budget_exceeded' } })
  // The vendor got no request, not even a count.
  expect(fairgate.sandbox.counters().calls).toBe(0)
  expect((await ask({})).status).toBe(200)
})
