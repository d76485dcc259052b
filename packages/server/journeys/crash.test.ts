// suite: test on sqlite and postgres; invariant; 16 s
// Answered calls are charged and acknowledged entries are stored, even if the process is killed under load.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { runCrashRounds } from './testing/crash-load.ts'
import { createManagement } from './testing/management.ts'
import { type SpawnedFairgate, spawnFairgate } from './testing/spawn-fairgate.ts'
import { adminKey, createSurroundings, type Surroundings } from './testing/start-fairgate.ts'
import { readCharges, runStored, untilSwept } from './testing/stored-rows.ts'
import { twoKinds } from './testing/two-kinds.ts'

let place: Surroundings
let variables: Surroundings['variables']
beforeAll(async () => {
  place = await createSurroundings(twoKinds)
  variables = place.variables
})
afterAll(() => place.remove())

const prompt = 'Hello [[sandbox: chunks=3; outputTokens=30; chunkDelayMs=600000]]'
const chat = { model: 'mm-2.5-flash', stream: true, messages: [{ role: 'user', content: prompt }] }
const relayed = { contents: [{ parts: [{ text: prompt }] }] }
const relayPath = '/vendor/v1beta/models/mm-2.5-flash:streamGenerateContent'

const streams: readonly (readonly [team: string, path: string, body: object])[] = [
  ['chat', '/v1/chat/completions', chat],
  ['relayed-events', `${relayPath}?alt=sse`, relayed],
  ['relayed-array', relayPath, relayed],
  ['claude-chat', '/v1/chat/completions', { ...chat, model: 'claude-opus' }],
  ['claude-messages', '/v1/messages', { ...chat, model: 'claude-opus', max_tokens: 100 }],
]

// One journey, so that three processes show both promises. Shown to fail by leaving out the row of the stream (`openStreams` in
// store/statements/running-calls.ts), and by answering before the charge is on disk (`void submit(…)` in store/ledger-writer.ts).
test('spec 4.1, 4.2: kill -9 under streams, then under mixed load: streams are charged once at their last progress, answers once, and entries are stored once', async () => {
  const killed = await spawnFairgate({ variables })
  const manage = createManagement(killed.adminUrl, adminKey)
  const begun = await Promise.all(
    streams.map(async ([team, path, body]) => {
      const key = await manage.team(team)
      const credential = path.startsWith('/v1/')
        ? { authorization: `Bearer ${key}` }
        : { 'x-vendor-api-key': key }
      const response = await fetch(`${killed.gatewayUrl}${path}`, {
        method: 'POST',
        headers: { ...credential, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      expect([team, response.status]).toEqual([team, 200])
      return { team, response }
    }),
  )
  const readProgress = () =>
    runStored<{ team_id: string; cost_nano: number }>(
      place,
      'select team_id, cost_nano from running_calls where cost_nano > 0',
      [],
    )
  while ((await readProgress()).length < streams.length) await Bun.sleep(20)
  const progress = new Map((await readProgress()).map(row => [row.team_id, Number(row.cost_nano)]))
  killed.kill('SIGKILL')
  await killed.exited
  for (const { response } of begun) await response.text().catch(() => '')

  const checkStreams = async (server: SpawnedFairgate) => {
    for (const { team, response } of begun) {
      const charges = await readCharges(place, team)
      expect(charges).toHaveLength(1)
      expect(charges[0]).toMatchObject({
        call_id: response.headers.get('x-gateway-call-id'),
        outcome: 'interrupted',
        cost_nano: progress.get(team),
      })
      const { team_info } = await createManagement(server.adminUrl, adminKey).teamInfo(team)
      expect(Math.round(team_info.spend * 1e9)).toBe(progress.get(team) ?? -1)
    }
  }
  const restarted = await spawnFairgate({ variables })
  await untilSwept(place)
  await checkStreams(restarted)

  const { promises } = await runCrashRounds(place, {
    kills: 1,
    requestsPerRound: 200,
    begin: restarted,
    // The second sweep charges nothing again.
    onRestart: checkStreams,
  })
  expect(promises.answered.length).toBeGreaterThanOrEqual(25)
  expect(promises.acknowledged.length).toBeGreaterThanOrEqual(25)
}, 300_000)
