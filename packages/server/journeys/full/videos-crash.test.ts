// suite: full on sqlite and postgres; 31 s
// Videos and kill -9: none lost, none charged twice, none ordered twice, wherever the process dies.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createVideoClient } from '../testing/make-video.ts'
import { createManagement } from '../testing/management.ts'
import { type OrderedVideo, settleVideo } from '../testing/order-video.ts'
import { type SpawnedFairgate, spawnFairgate } from '../testing/spawn-fairgate.ts'
import { adminKey, createSurroundings, type Surroundings } from '../testing/start-fairgate.ts'
import { readCharges, runStored, untilSwept } from '../testing/stored-rows.ts'

const lite = 'video-3.1-lite-generate-001'
const fourSecondsNano = 200_000_000

let place: Surroundings
let server: SpawnedFairgate
beforeAll(async () => {
  place = await createSurroundings()
  server = await spawnFairgate(place)
})
afterAll(async () => {
  server.kill('SIGTERM')
  await server.exited
  await place.remove()
})

async function killAndRestart(): Promise<void> {
  server.kill('SIGKILL')
  await server.exited
  server = await spawnFairgate(place)
  await untilSwept(place)
}

const openTeam = (name: string) => createManagement(server.adminUrl, adminKey).team(name)
const clientOf = (key: string) => createVideoClient(server.gatewayUrl, key)
const spendOf = async (team: string) =>
  Math.round((await createManagement(server.adminUrl, adminKey).teamInfo(team)).team_info.spend * 1e9)
const ordersUpstream = () => place.sandbox.counters().billed[lite.replace('video-', 'veo-')]?.videos ?? 0

async function statesOf(team: string): Promise<string[]> {
  const rows = await runStored<{ state: string }>(
    place,
    'select state from video_tasks where team_id = ? order by created_at',
    [team],
  )
  return rows.map(row => row.state)
}

// Shown to fail by ordering before the charge is durable (no row is left to be refunded), and by leaving out
// `failInterruptedOrder` in the sweep (the row stays `submitting` and the money is gone).
test('spec 3.1: killed while the upstream has the order: failed, refunded once, never ordered again', async () => {
  const key = await openTeam('ordering')
  const { calls } = place.sandbox.counters()
  const order = clientOf(key)
    .order({ model: lite, prompt: 'Waves [[sandbox: firstByteDelayMs=1000000]]', seconds: '4' })
    .catch(() => null)
  // The order is sent after its charge is durable, so the charge alone does not show that the upstream has it.
  while (place.sandbox.counters().calls === calls) await Bun.sleep(10)
  expect(await statesOf('ordering')).toEqual(['submitting'])
  await killAndRestart()
  await order
  await killAndRestart()
  expect(await statesOf('ordering')).toEqual(['failed'])
  const charges = await readCharges(place, 'ordering')
  expect(charges.map(({ cost_nano }) => cost_nano).sort((a, b) => a - b)).toEqual([
    -fourSecondsNano,
    fourSecondsNano,
  ])
  expect(await spendOf('ordering')).toBe(0)
  const list = (await (await clientOf(key).get('')).json()) as { data: { error?: { code: string } }[] }
  expect(list.data.map(video => video.error?.code)).toEqual(['creation_interrupted'])
  expect(place.sandbox.counters().calls).toBe(calls + 1)
}, 300_000)

test('spec 3.1: killed during generation: videos are finished, charged once and can be downloaded; a failed one is refunded once', async () => {
  const [makingKey, failingKey, relayedKey] = [
    await openTeam('making'),
    await openTeam('failing'),
    await openTeam('relayed'),
  ]
  const orderOf = async (key: string, switches: string) => {
    const ordered = await clientOf(key).order({
      model: lite,
      prompt: `Waves [[sandbox: ${switches}]]`,
      seconds: '4',
    })
    return ((await ordered.json()) as { id: string }).id
  }
  const made = await orderOf(makingKey, 'videoMs=1500')
  const failed = await orderOf(failingKey, 'videoMs=1000; videoError=13')
  const ask = (path: string, body?: object) =>
    fetch(`${server.gatewayUrl}/vendor/v1beta/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-vendor-api-key': relayedKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const instances = [{ prompt: 'Waves [[sandbox: videoMs=1000]]' }]
  const relayed = await ask('models/video-2.0-generate-001:predictLongRunning', { instances })
  const { name } = (await relayed.json()) as OrderedVideo
  const orders = ordersUpstream()
  await killAndRestart()
  expect((await clientOf(makingKey).settled(made)).status).toBe('completed')
  expect((await clientOf(failingKey).settled(failed)).status).toBe('failed')
  const { response } = await settleVideo(server.gatewayUrl, relayedKey, name)
  const uri = response?.generateVideoResponse?.generatedSamples?.[0]?.video.uri ?? ''
  await killAndRestart()
  for (const content of [
    await clientOf(makingKey).get(`/${made}/content`),
    await ask(uri.slice(uri.indexOf('files/'))),
  ])
    expect([content.status, (await content.bytes()).subarray(4, 8)]).toEqual([200, Buffer.from('ftyp')])
  expect((await clientOf(failingKey).settled(failed)).status).toBe('failed')
  const costsOf = async (team: string) => (await readCharges(place, team)).map(({ cost_nano }) => cost_nano)
  expect(await costsOf('making')).toEqual([fourSecondsNano])
  expect(await spendOf('making')).toBe(fourSecondsNano)
  expect(await costsOf('failing')).toHaveLength(2)
  expect(await spendOf('failing')).toBe(0)
  expect(await costsOf('relayed')).toEqual([500_000_000])
  expect(ordersUpstream()).toBe(orders)
}, 300_000)

test('spec 3.1: killed at any moment under many orders: each answered video exists, and spend = charges = videos that did not fail', async () => {
  const key = await openTeam('many')
  const ordersBefore = ordersUpstream()
  const answered: string[] = []
  for (let round = 0; round < 2; round += 1) {
    const client = clientOf(key)
    let isOver = false
    const orderOn = async () => {
      while (!isOver) {
        const prompt = `Waves [[sandbox: videoMs=${(answered.length % 5) * 200}${answered.length % 3 === 0 ? '; videoError=13' : ''}]]`
        const response = await client.order({ model: lite, prompt, seconds: '4' }).catch(() => null)
        if (response === null) return
        expect(response.status).toBe(200)
        const video = (await response.json().catch(() => null)) as { id: string } | null
        if (video !== null) answered.push(video.id)
      }
    }
    const orderers = Array.from({ length: 4 }, orderOn)
    const target = answered.length + 15
    while (answered.length < target) await Bun.sleep(5)
    await killAndRestart()
    isOver = true
    await Promise.all(orderers)
  }
  const client = clientOf(key)
  const ended = await Promise.all(answered.map(id => client.settled(id)))
  expect(new Set(ended.map(video => video.id)).size).toBe(answered.length)
  const readRows = () =>
    runStored<{ state: string; call_id: string; task_id: string }>(
      place,
      'select state, call_id, task_id from video_tasks where team_id = ?',
      ['many'],
    )
  // Including orders with answers lost in a kill.
  await Promise.all((await readRows()).map(({ task_id }) => client.settled(task_id)))
  const rows = await readRows()
  expect(rows.filter(({ state }) => state !== 'completed' && state !== 'failed')).toEqual([])
  const charges = await readCharges(place, 'many')
  expect(ordersUpstream() - ordersBefore).toBeLessThanOrEqual(rows.length)
  const failed = rows.filter(({ state }) => state === 'failed')
  expect(charges.map(({ call_id }) => call_id).sort()).toEqual(
    [...rows.map(({ call_id }) => call_id), ...failed.map(({ call_id }) => `${call_id}/refund`)].sort(),
  )
  expect(await spendOf('many')).toBe((rows.length - failed.length) * fourSecondsNano)
  const { team_info } = await createManagement(server.adminUrl, adminKey).teamInfo('many')
  expect(team_info.held).toBe(0)
}, 300_000)
