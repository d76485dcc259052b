// suite: 12 s
// The clock of a whole server jumps by hours, while calls run and over restarts: money stays exact, and windows, periods and phases right.
// On SQLite: PostgreSQL counts by its own clock.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startServer } from '../src/main.ts'
import type { RunningServer } from '../src/process/running-server.ts'
import { createManagement, type Management } from './testing/management.ts'
import { adminKey, createSurroundings, type Surroundings } from './testing/start-fairgate.ts'
import { readCharges, sumCost } from './testing/stored-rows.ts'

const hour = 3_600_000
const noon = Date.parse('2026-11-20T12:00:00Z')
let now = noon
let place: Surroundings
let server: RunningServer
let manage: Management

const start = async () => {
  server = await startServer(place.variables, { clock: () => now })
  manage = createManagement(server.adminUrl, adminKey)
}
/** The clock is set while nothing runs. */
const restart = async (moment: number) => {
  expect(await server.stop()).toBe(true)
  now = moment
  await start()
}
beforeAll(async () => {
  place = await createSurroundings()
  await start()
})
afterAll(async () => {
  await server.stop()
  await place.remove()
})

const chat = (key: string, changes: object = {}) =>
  fetch(`${server.gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'mm-2.5-flash',
      max_tokens: 16,
      messages: [{ role: 'user', content: 'Hello' }],
      ...changes,
    }),
  })
const statusOf = async (response: Promise<Response>) => {
  const { status } = await response
  await (await response).arrayBuffer()
  return status
}
async function countAnswers(key: string, calls: number): Promise<number> {
  let answered = 0
  for (let call = 0; call < calls; call += 1) if ((await statusOf(chat(key))) === 200) answered += 1
  return answered
}
/** The team sees the sum of its charges, and nothing is held. */
async function expectExact(teamId: string): Promise<number> {
  const { spend, held } = (await manage.teamInfo(teamId)).team_info
  const charged = sumCost(await readCharges(place, teamId))
  expect([Math.round(spend * 1e9), held]).toEqual([charged, 0])
  return charged
}

test('while calls and streams run, each is charged once, and slots and holds are free again', async () => {
  const key = await manage.team('running', { max_budget: 1 }, { max_parallel_requests: 2 })
  place.sandbox.setSwitches({ firstByteDelayMs: 1 })
  for (const jump of [5 * hour, -9 * hour, 30 * hour, -30 * hour]) {
    const release = place.holdUpstream()
    const replies = [chat(key), chat(key, { stream: true })]
    while (place.sandbox.counters().running < 2) await Bun.sleep(1)
    now += jump
    release()
    expect(await Promise.all(replies.map(statusOf))).toEqual([200, 200])
  }
  place.sandbox.setSwitches({})
  expect(await readCharges(place, 'running')).toHaveLength(8)
  expect(await expectExact('running')).toBeGreaterThan(0)
})

test('a window never exceeds its limit in 60 s, whichever way the clock jumps', async () => {
  // The clock of windows never jumps in a real server. A row written while this one was far ahead would be the newest for days.
  await restart(now)
  const key = await manage.team('windows', { rpm_limit: 3, tpm_limit: 1_000_000 })
  expect(await countAnswers(key, 4)).toBe(3)
  // Back, while it runs: the window does not move.
  now -= 3 * hour
  expect(await countAnswers(key, 1)).toBe(0)
  // Back again, over a restart: no time has passed, and none is added.
  await restart(now - 3 * hour)
  const refused = await chat(key)
  expect([await statusOf(Promise.resolve(refused)), refused.headers.get('retry-after')]).toEqual([429, '60'])
  now += 59_999
  expect(await countAnswers(key, 1)).toBe(0)
  now += 1
  expect(await countAnswers(key, 4)).toBe(3)
  // Ahead, over a restart: a longer pause.
  await restart(now + 5 * hour)
  expect(await countAnswers(key, 4)).toBe(3)
  await expectExact('windows')
})

test('a budget period ends once: a clock that goes back over its end does not start another', async () => {
  now = Date.parse('2026-11-25T23:00:00Z')
  const key = await manage.team('daily', { max_budget: 1, budget_duration: '1d' })
  const shown = async () => {
    const { spend, held } = (await manage.teamInfo('daily')).team_info
    return { spend: Math.round(spend * 1e9), held }
  }
  const cost = async () => {
    const response = await chat(key)
    expect(await statusOf(Promise.resolve(response))).toBe(200)
    return Math.round(Number(response.headers.get('x-gateway-response-cost')) * 1e9)
  }
  const first = await cost()
  now += 2 * hour
  const second = await cost()
  expect(await shown()).toEqual({ spend: second, held: 0 })
  now -= 2 * hour
  const third = await cost()
  expect(await shown()).toEqual({ spend: second + third, held: 0 })
  await restart(now - 24 * hour)
  const fourth = await cost()
  expect(await shown()).toEqual({ spend: second + third + fourth, held: 0 })
  await restart(Date.parse('2026-11-26T23:59:59.999Z'))
  const fifth = await cost()
  expect(await shown()).toEqual({ spend: second + third + fourth + fifth, held: 0 })
  now += 1
  expect(await shown()).toEqual({ spend: 0, held: 0 })
  expect(sumCost(await readCharges(place, 'daily'))).toBe(first + second + third + fourth + fifth)
})

test('phases follow the clock forwards and backwards, also over restarts', async () => {
  const key = await manage.team('phases')
  // The night in Berlin when clocks go forward: one hour of local time is missing.
  await manage.change('PUT', '/event', { time_zone: 'Europe/Berlin' })
  await manage.change('PUT', '/event/phases', {
    phases: [
      { name: 'contest', from: '2026-03-29T01:00', until: '2026-03-29T04:00' },
      { name: 'judging', from: '2026-03-29T04:00', gateway: 'closed' },
    ],
  })
  const statusAt = async (moment: string) => {
    now = Date.parse(moment)
    return await statusOf(chat(key))
  }
  await restart(Date.parse('2026-03-28T00:00:00Z'))
  expect(await statusAt('2026-03-28T23:59:59.999Z')).toBe(403)
  expect(await statusAt('2026-03-29T00:00:00.000Z')).toBe(200)
  expect(await statusAt('2026-03-29T01:59:59.999Z')).toBe(200)
  expect(await statusAt('2026-03-29T02:00:00.000Z')).toBe(403)
  await restart(Date.parse('2026-03-29T08:00:00Z'))
  expect(await statusOf(chat(key))).toBe(403)
  await restart(Date.parse('2026-03-29T01:30:00Z'))
  expect(await statusOf(chat(key))).toBe(200)
})
