// What was answered is charged and what was acknowledged is stored, also when the process is killed in the middle of everything.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { runCrashRounds } from './testing/crash-load.ts'
import { createManagement } from './testing/management.ts'
import { spawnFairgate } from './testing/spawn-fairgate.ts'
import { adminKey, createSurroundings, type Surroundings } from './testing/start-fairgate.ts'
import { readCharges, readOpenCosts, untilSwept } from './testing/stored-rows.ts'

let place: Surroundings
let variables: Surroundings['variables']
beforeAll(async () => {
  place = await createSurroundings()
  variables = place.variables
})
afterAll(() => place.remove())

// Shown to fail by answering before the charge is on disk (`void submit(…)` in store/ledger-writer.ts).
test('spec 4.2: kill -9 under mixed load: each answer is charged once, each acknowledged entry is there once', async () => {
  const { promises } = await runCrashRounds(place, { kills: 3, requestsPerRound: 200 })
  expect(promises.answered.length).toBeGreaterThan(50)
  expect(promises.acknowledged.length).toBeGreaterThan(50)
}, 300_000)

const prompt = 'Hello [[sandbox: chunks=3; outputTokens=30; chunkDelayMs=600000]]'
const chat = { model: 'mm-2.5-flash', stream: true, messages: [{ role: 'user', content: prompt }] }
const relayed = { contents: [{ parts: [{ text: prompt }] }] }
const relayPath = '/vendor/v1beta/models/mm-2.5-flash:streamGenerateContent'

// Shown to fail by leaving out the row of the stream (`openStreams` in store/statements/running-calls.ts).
test.each([
  ['chat', '/v1/chat/completions', chat],
  ['relayed-events', `${relayPath}?alt=sse`, relayed],
  ['relayed-array', relayPath, relayed],
])(
  'spec 4.1: a stream (%s) cut by kill -9 is charged at its last progress, once',
  async (team, path, body) => {
    const killed = await spawnFairgate({ variables })
    const key = await createManagement(killed.adminUrl, adminKey).team(team)
    const credential = team === 'chat' ? { authorization: `Bearer ${key}` } : { 'x-vendor-api-key': key }
    const response = await fetch(`${killed.gatewayUrl}${path}`, {
      method: 'POST',
      headers: { ...credential, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(200)
    while (!(await readOpenCosts(place)).some(cost => cost > 0)) await Bun.sleep(20)
    const [progress] = await readOpenCosts(place)
    killed.kill('SIGKILL')
    await killed.exited
    await response.text().catch(() => '')

    for (let restart = 0; restart < 2; restart += 1) {
      const server = await spawnFairgate({ variables })
      await untilSwept(place)
      const charges = await readCharges(place, team)
      expect(charges).toHaveLength(1)
      expect(charges[0]).toMatchObject({
        call_id: response.headers.get('x-gateway-call-id'),
        outcome: 'interrupted',
        cost_nano: progress,
      })
      const { team_info } = await createManagement(server.adminUrl, adminKey).teamInfo(team)
      expect(Math.round(team_info.spend * 1e9)).toBe(progress ?? -1)
      server.kill('SIGTERM')
      await server.exited
    }
  },
  300_000,
)
