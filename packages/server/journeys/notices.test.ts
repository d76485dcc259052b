// suite: 12 s
// Notices end to end: a team reads announcements, and a webhook gets its spent budget, once.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { digestJoinKey } from '../src/config/join-key.ts'
import { startServer } from '../src/main.ts'
import { makeCall } from './testing/make-call.ts'
import { createManagement } from './testing/management.ts'
import { adminKey, createSurroundings, type Fairgate, startFairgate } from './testing/start-fairgate.ts'

type Told = {
  readonly event: string
  readonly text: string
  readonly subjects: readonly { readonly id: string }[]
}

let fairgate: Fairgate
let receiver: ReturnType<typeof Bun.serve>
const reported: Told[] = []
let hear: () => void = () => undefined

beforeAll(async () => {
  fairgate = await startFairgate({
    settings: 'webhooks: { allow_private_addresses: true }\nmetrics_by_team: true',
  })
  receiver = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async request => {
      reported.push((await request.json()) as Told)
      hear()
      return new Response(null, { status: 204 })
    },
  })
})
afterAll(async () => {
  await receiver.stop(true)
  await fairgate.stop()
})

const teamInfo = async (key: string, teamId: string) => {
  const headers = { authorization: `Bearer ${key}` }
  const reply = await fetch(`${fairgate.gatewayUrl}/team/info?team_id=${teamId}`, { headers })
  return (await reply.json()) as { announcements?: { text: string }[] }
}

test('a team reads its announcements; without any, the record is unchanged', async () => {
  const { manage } = fairgate
  const red = await manage.team('red')
  const blue = await manage.team('blue')
  await manage.post('/announcements', { text: 'Your demo is at 17:00.', teams: ['red'] })
  expect((await teamInfo(red, 'red')).announcements).toMatchObject([{ text: 'Your demo is at 17:00.' }])
  expect(await teamInfo(blue, 'blue')).not.toHaveProperty('announcements')
})

test('a spent budget is sent to a webhook', async () => {
  const { manage, gatewayUrl } = fairgate
  const key = await manage.team('spender', { max_budget: 100 })
  await makeCall(gatewayUrl, key)
  const { spend } = (await manage.teamInfo('spender')).team_info
  await manage.post('/team/update', { team_id: 'spender', max_budget: spend })
  const heard = new Promise<void>(resolve => {
    hear = resolve
  })
  await manage.post('/webhooks', { url: `http://127.0.0.1:${receiver.port}/hook`, events: ['budget_spent'] })
  await heard
  expect(reported).toMatchObject([{ event: 'budget_spent', subjects: [{ id: 'spender' }] }])
}, 300_000)

test('the metrics have series per team if the settings ask for them', async () => {
  const metrics = await (await fetch(`${fairgate.adminUrl}/metrics`)).text()
  expect(metrics).toContain('# TYPE fairgate_team_spend_usd gauge')
})

test('after a restart with another join key, a webhook is off and readiness shows it', async () => {
  const place = await createSurroundings()
  const startWith = (joinKey: string, variables = {}) =>
    startServer({ ...place.variables, FAIRGATE_JOIN_KEY: joinKey, ...variables })
  const lost = 'a'.repeat(64)
  const found = 'b'.repeat(64)
  const first = await startWith(lost)
  await createManagement(first.adminUrl, adminKey).post('/webhooks', { url: 'https://hooks.example/' })
  await first.stop()
  const digits = digestJoinKey(Buffer.from(found, 'hex')).slice(0, 16)
  const second = await startWith(found, { FAIRGATE_ACCEPT_JOIN_KEY: digits })
  const manage = createManagement(second.adminUrl, adminKey)
  const list = await (await manage.call('GET', '/webhooks')).json()
  expect(list).toMatchObject({ items: [{ fault: 'secret_unreadable' }] })
  expect(await manage.post('/readiness/secrets/check', {})).toMatchObject({
    item: { state: 'fault', text: expect.stringContaining('1 webhook is off') },
  })
  await second.stop()
  await place.remove()
}, 300_000)
