// suite: 7 s
// Reading the record of calls: a team's own on the gateway door, filtered and in pages, with refusals explained.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type CallItem, callEndpoints, callSchema } from '@fairgate/contracts/calls/call.ts'
import { type CallsPage, callsPageSchema } from '@fairgate/contracts/calls/call-list.ts'
import { Value } from 'typebox/value'
import { nameEndpoint } from '../src/gateway/call-record/record-ended.ts'
import { adminKey, type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { runStored } from './testing/stored-rows.ts'

let fairgate: Fairgate
beforeAll(async () => {
  fairgate = await startFairgate()
})
afterAll(() => fairgate.stop())

const model = 'mm-2.5-flash'
const ask = (key: string, changes: object = {}, headers: Record<string, string> = {}) =>
  fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, max_tokens: 16, messages: [{ role: 'user', content: 'Hi' }], ...changes }),
  })
const callIdOf = (response: Response) => response.headers.get('x-gateway-call-id') ?? ''
const get = (key: string, path: string) =>
  fetch(`${fairgate.gatewayUrl}${path}`, { headers: { authorization: `Bearer ${key}` } })

async function list(key: string, query = ''): Promise<CallsPage> {
  const reply = await get(key, `/spend/logs${query}`)
  const body: unknown = await reply.json()
  if (reply.status === 200 && Value.Check(callsPageSchema, body)) return body
  throw new Error(`/spend/logs${query} answered ${reply.status}: ${JSON.stringify(body)}`)
}

/** Waits for this many: uncharged calls are written within a second. */
async function waitFor(key: string, count: number): Promise<readonly CallItem[]> {
  for (let tries = 0; ; tries += 1) {
    const { items } = await list(key)
    if (items.length >= count || tries === 100) return items
    await Bun.sleep(50)
  }
}

test('a call with everything known about it, and nothing about our keys', async () => {
  const key = await fairgate.manage.team('shown', {}, { key_alias: 'laptop' })
  const reply = await ask(key, {}, { 'user-agent': 'claude-cli/2.1.330', 'x-claude-code-session-id': 's-1' })
  const { usage } = (await reply.json()) as { usage: { prompt_tokens: number; completion_tokens: number } }
  const { items, next_before } = await list(key)
  expect(next_before).toBeNull()
  const cost = Number(reply.headers.get('x-gateway-response-cost'))
  expect(items).toMatchObject([
    {
      call_id: callIdOf(reply),
      team_id: 'shown',
      key: Bun.SHA256.hash(key, 'hex'),
      key_name: `sk-...${key.slice(-4)}`,
      key_alias: 'laptop',
      endpoint: 'chat',
      model_asked: model,
      model_served: model,
      outcome: 'completed',
      code: null,
      refusal: null,
      explanation: null,
      input_tokens: usage.prompt_tokens,
      output_tokens: usage.completion_tokens,
      cost_nano: Math.round(cost * 1e9),
      cost,
      flag: null,
      session: { id: 's-1', source: 'x-claude-code-session-id', parent: null },
      tool: 'claude',
      user_agent: 'claude-cli/2.1.330',
      client_address: '127.0.0.1',
      count: 1,
    },
  ])
  expect(JSON.stringify(items)).not.toMatch(/upstream|salt|commit/)
  const age = Date.now() - Date.parse(items[0]?.received_at ?? '')
  expect(Math.abs(age)).toBeLessThan(60_000)
})

test('one call by id, with and without /v1; not another team’s', async () => {
  const [own, other] = [await fairgate.manage.team('one'), await fairgate.manage.team('another')]
  const callId = callIdOf(await ask(own))
  for (const path of [`/spend/logs/${callId}`, `/v1/spend/logs/${callId}`]) {
    const reply = await get(own, path)
    const body: unknown = await reply.json()
    expect(reply.status).toBe(200)
    expect(Value.Check(callSchema, body)).toBe(true)
    expect(body).toMatchObject({ call_id: callId, team_id: 'one' })
    const refused = await get(other, path)
    expect(refused.status).toBe(404)
    expect(await refused.json()).toMatchObject({ error: { code: 'call_not_found', param: 'call_id' } })
  }
  expect((await list(other)).items).toEqual([])
})

test('organisers see the same calls, with their upstream and a valid seal', async () => {
  const key = await fairgate.manage.team('overseen', { rpm_limit: 1 })
  const callId = callIdOf(await ask(key))
  await ask(key)
  const [refused, completed] = await waitFor(key, 2)
  const reply = await fairgate.manage.call('GET', '/calls?team_id=overseen')
  const sealed = { has_digests: true, is_sealed: true, upstream: 'vendor' }
  expect(await reply.json()).toMatchObject({
    items: [
      { ...refused, has_digests: false, is_sealed: true, upstream: null },
      { ...completed, ...sealed },
    ],
    next_before: null,
  })
  // As docs/call-record.md says.
  await runStored(
    fairgate.place,
    'update calls set texts = null, texts_salt = null where team_id = ? and texts is not null',
    ['overseen'],
  )
  const erased = await fairgate.manage.call('GET', `/calls/${callId}`)
  expect(await erased.json()).toMatchObject({ ...completed, ...sealed, has_digests: false })
})

test('a refused call shows why and what to do', async () => {
  const key = await fairgate.manage.team('refused', { rpm_limit: 1 })
  await ask(key)
  const limited = callIdOf(await ask(key))
  const unknown = callIdOf(await ask(key, { model: 'no-such-model' }))
  const wrong = callIdOf(await ask(key, { messages: [] }))
  const items = new Map((await waitFor(key, 4)).map(item => [item.call_id, item]))
  expect(items.get(limited)).toMatchObject({
    outcome: 'refused',
    code: 'rpm_exceeded',
    status: 429,
    refusal: { level: 'team', limit: '1', used: '1' },
    cost: 0,
  })
  expect(items.get(limited)?.explanation).toMatch(
    /^Rate limit exceeded for the team\. Limit type: requests per minute\. Limit: 1, used: 1\. Resets at 20.*Z\. Make fewer/,
  )
  expect(items.get(unknown)?.explanation).toContain('Asked for: no-such-model.')
  expect(items.get(wrong)?.explanation).toContain('names the invalid field')
})

test('a call that failed at the model shows that it was not charged', async () => {
  const key = await fairgate.manage.team('failed')
  await ask(key, { messages: [{ role: 'user', content: '[[sandbox: error=500]]' }] })
  const [item] = await waitFor(key, 1)
  expect(item).toMatchObject({ outcome: 'failed', cost_nano: 0 })
  expect(item?.explanation).toEndWith('Nothing was charged.')
})

describe('filters and pages', () => {
  let key = ''
  let second = ''
  const ids: string[] = []
  beforeAll(async () => {
    key = await fairgate.manage.team('filtered', {}, { key_alias: 'laptop' })
    second = await fairgate.manage.key('filtered', { key_alias: 'ci' })
    const codex = { 'user-agent': 'codex_cli_rs/0.80', 'session-id': 's-2' }
    ids.push(callIdOf(await ask(key)))
    ids.push(callIdOf(await ask(second, {}, codex)))
    ids.push(callIdOf(await ask(key, { model: 'mm-2.5-pro' })))
    ids.push(callIdOf(await ask(key, { model: 'nothing' })))
    ids.push(callIdOf(await ask(key)))
    await waitFor(key, 5)
  })
  const idsOf = async (query: string) => (await list(key, query)).items.map(({ call_id }) => call_id)
  const at = (...places: number[]) => places.map(place => ids[place] ?? '')

  test('each filter', async () => {
    expect(await idsOf('')).toEqual(at(4, 3, 2, 1, 0))
    expect(await idsOf('?key=me')).toEqual(at(4, 3, 2, 0))
    expect(await idsOf('?key=ci')).toEqual(at(1))
    expect(await idsOf(`?key=${Bun.SHA256.hash(second, 'hex')}`)).toEqual(at(1))
    expect(await idsOf('?tool=codex&session_id=s-2')).toEqual(at(1))
    expect(await idsOf('?model=mm-2.5-pro')).toEqual(at(2))
    expect(await idsOf('?outcome=refused')).toEqual(at(3))
    expect(await idsOf('?code=model_not_found')).toEqual(at(3))
    expect(await idsOf('?endpoint=chat')).toEqual(at(4, 3, 2, 1, 0))
    expect(await idsOf('?endpoint=videos')).toEqual([])
    const soon = encodeURIComponent(new Date(Date.now() + 60_000).toISOString())
    expect(await idsOf(`?from=${soon}`)).toEqual([])
    expect(await idsOf(`?until=${soon}&limit=1`)).toEqual(at(4))
  })

  test('pages', async () => {
    const first = await list(key, '?limit=2')
    expect(first.items.map(({ call_id }) => call_id)).toEqual(at(4, 3))
    const rest = await list(key, `?limit=3&before=${first.next_before}`)
    expect(rest.items.map(({ call_id }) => call_id)).toEqual(at(2, 1, 0))
    expect(rest.next_before).toBeNull()
  })

  test.each([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=many', 'limit'],
    ['before=yesterday', 'before'],
    ['outcome=lost', 'outcome'],
    ['code=teapot', 'code'],
    ['endpoint=chats', 'endpoint'],
    ['from=2026-11-21', 'from'],
    ['until=now', 'until'],
    ['from=2026-11-21T10:00Z&until=2026-11-21T09:00Z', 'until'],
    ['team_id=one', 'team_id'],
    ['outcome=refused&outcome=failed', 'outcome'],
  ])('%s is refused', async (query, param) => {
    const reply = await get(key, `/spend/logs?${query}`)
    expect(reply.status).toBe(400)
    expect(await reply.json()).toMatchObject({ error: { code: 'invalid_request', param } })
  })

  test('an unknown key is refused, and another team’s key has no calls here', async () => {
    const reply = await get(key, '/spend/logs?key=desktop')
    expect(reply.status).toBe(404)
    expect(await reply.json()).toMatchObject({ error: { code: 'key_not_found', param: 'key' } })
    const other = await fairgate.manage.team('neighbour')
    await ask(other)
    expect(await idsOf(`?key=${Bun.SHA256.hash(other, 'hex')}`)).toEqual([])
  })
})

test('a team without budget can still read, and reading costs nothing', async () => {
  const key = await fairgate.manage.team('spent', { max_budget: 0, rpm_limit: 1 })
  await ask(key)
  const [item] = await waitFor(key, 1)
  expect(item).toMatchObject({ code: 'budget_exceeded', refusal: { level: 'team', limit: '0' } })
  expect((await list(key)).items).toHaveLength(1)
})

test('every paid route has an endpoint name to filter by', async () => {
  const reply = await fetch(`${fairgate.gatewayUrl}/openapi.json`)
  const { paths } = (await reply.json()) as { paths: Record<string, { post?: object }> }
  const names = Object.entries(paths).flatMap(([path, { post }]) =>
    post !== undefined && JSON.stringify(post).includes('rpm_exceeded') ? [nameEndpoint(path)] : [],
  )
  expect(names.length).toBeGreaterThan(10)
  for (const name of names) expect(callEndpoints as readonly string[]).toContain(name)
})

test('a refund is shown with its charge, for the team and for organisers', async () => {
  const key = await fairgate.manage.team('refunded')
  const reply = await ask(key)
  const cost = Math.round(Number(reply.headers.get('x-gateway-response-cost')) * 1e9)
  const callId = callIdOf(reply)
  const admin = { authorization: `Bearer ${adminKey}` }
  const refund = await fetch(`${fairgate.adminUrl}/calls/${callId}/refund`, {
    method: 'POST',
    headers: { ...admin, 'content-type': 'application/json' },
    body: JSON.stringify({ amount_nano: 1000, reason: 'the upstream was down', adjustment_id: 'fix-1' }),
  })
  expect(refund.status).toBe(200)
  const corrected = {
    cost_nano: cost,
    left_nano: cost - 1000,
    corrections: [
      {
        ...{ adjustment_id: 'fix-1', kind: 'refund', amount_nano: -1000, amount: -0.000001 },
        reason: 'the upstream was down',
      },
    ],
  }
  expect((await list(key)).items).toMatchObject([corrected])
  expect(await (await get(key, `/spend/logs/${callId}`)).json()).toMatchObject(corrected)
  const organisers = await fetch(`${fairgate.adminUrl}/calls?team_id=refunded`, { headers: admin })
  expect(await organisers.json()).toMatchObject({ items: [corrected] })
})
