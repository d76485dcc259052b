// suite: 6 s
// Clients that leave: a stream is charged for what was produced and stopped upstream, a whole reply is charged when it ends.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

let fairgate: Fairgate
let key: string
let teamId: string
let team = 0
beforeAll(async () => {
  fairgate = await startFairgate()
})
beforeEach(async () => {
  team += 1
  teamId = `leaving-${team}`
  key = await fairgate.manage.team(teamId, { max_budget: 1 })
  fairgate.sandbox.resetCounters()
})
afterAll(() => fairgate.stop())

const ask = (content: string, isStream: boolean, signal: AbortSignal, changes: object = {}) =>
  fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'mm-2.5-flash',
      stream: isStream,
      messages: [{ role: 'user', content }],
      ...changes,
    }),
    signal,
  })

/** Resolves with the team's charges once nothing is held. */
async function chargesWhenSettled() {
  for (;;) {
    const { team_info } = await fairgate.manage.teamInfo(teamId)
    const charges = await readCharges(fairgate.place, teamId)
    if (team_info.held === 0 && charges.length > 0) return charges
    await Bun.sleep(5)
  }
}

test('a stream whose client leaves is stopped upstream at once and charged for what was produced', async () => {
  const leaving = new AbortController()
  // It would take longer than a test may, so it does not end by itself.
  const prompt = '[[sandbox: chunks=200; outputTokens=1000; chunkDelayMs=500]]'
  const response = await ask(prompt, true, leaving.signal)
  const reader = response.body?.getReader()
  await reader?.read()
  leaving.abort()
  const [charge] = await chargesWhenSettled()
  expect(charge?.outcome).toBe('client_closed')
  const units = JSON.parse(charge?.units ?? '{}') as Record<string, number>
  expect(units.outputText).toBeGreaterThan(0)
  expect(units.outputText).toBeLessThan(1000)
  while (fairgate.sandbox.counters().running > 0) await Bun.sleep(5)
  expect(fairgate.sandbox.counters().aborted).toBe(1)
})

test('a client leaves before the first event: the stream is stopped and its input charged', async () => {
  const leaving = new AbortController()
  const release = fairgate.holdUpstream()
  const call = ask('[[sandbox: firstByteDelayMs=1]]', true, leaving.signal).catch(() => null)
  while (fairgate.sandbox.counters().calls === 0) await Bun.sleep(2)
  leaving.abort()
  await call
  const charges = await chargesWhenSettled()
  release()
  expect(charges).toHaveLength(1)
  expect(charges[0]).toMatchObject({ outcome: 'client_closed', flag: 'estimated' })
})

test('a whole reply finishes and is charged in full', async () => {
  const leaving = new AbortController()
  const release = fairgate.holdUpstream()
  const prompt = '[[sandbox: firstByteDelayMs=1; outputTokens=30]]'
  const call = ask(prompt, false, leaving.signal).catch(() => null)
  while (fairgate.sandbox.counters().calls === 0) await Bun.sleep(2)
  leaving.abort()
  await call
  release()
  const [charge] = await chargesWhenSettled()
  expect(charge?.outcome).toBe('completed')
  expect(JSON.parse(charge?.units ?? '{}')).toMatchObject({ outputText: 30 })
})

test('missing or nonsensical usage is charged at the hold and flagged', async () => {
  for (const [turn, flag] of [
    ['noUsage', 'usage_absent'],
    ['badUsage=negative', 'usage_invalid'],
    ['badUsage=fractional', 'usage_invalid'],
    ['badUsage=absurd', 'usage_invalid'],
  ] as const) {
    for (const isStream of [false, true]) {
      const response = await ask(`[[sandbox: ${turn}]]`, isStream, new AbortController().signal, {
        max_tokens: 16,
      })
      expect(response.status).toBe(200)
      await response.text()
      const charge = (await readCharges(fairgate.place, teamId)).at(-1)
      expect(charge?.flag).toBe(flag)
      expect(charge?.cost_nano).toBeGreaterThanOrEqual(16 * 2500)
    }
  }
})

test('a failed call costs nothing', async () => {
  for (const status of [400, 404, 429, 500, 503]) {
    for (const isStream of [false, true]) {
      const response = await ask(`[[sandbox: error=${status}]]`, isStream, new AbortController().signal)
      expect(response.status).toBeGreaterThanOrEqual(400)
      await response.text()
    }
  }
  const { team_info } = await fairgate.manage.teamInfo(teamId)
  expect([team_info.spend, team_info.held]).toEqual([0, 0])
  expect(await readCharges(fairgate.place, teamId)).toHaveLength(0)
})
