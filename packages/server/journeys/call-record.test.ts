// suite: test on sqlite and postgres; 11 s
// Each authenticated call on a paid route is recorded once: charged, streamed, refused, failed, replayed, in a loop.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { say } from './testing/pass-through-caller.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges, runStored, sumCost, untilFiled } from './testing/stored-rows.ts'

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
const callIdOf = (response: Response) => response.headers.get('x-gateway-call-id')

type Row = Readonly<Record<string, string | number | null>>
async function read(teamId: string): Promise<Row[]> {
  await untilFiled(fairgate.place)
  const rows = await runStored<Row>(
    fairgate.place,
    'select * from calls where team_id = ? order by call_id',
    [teamId],
  )
  // PostgreSQL returns large numbers as text.
  return rows.map(row => ({ ...row, cost_nano: Number(row.cost_nano) }))
}

/** The rows of a team, once there are `count`: uncharged calls are written within a second. */
async function waitFor(teamId: string, count: number): Promise<Row[]> {
  for (let tries = 0; ; tries += 1) {
    const rows = await read(teamId)
    if (rows.length >= count || tries === 100) return rows
    await Bun.sleep(50)
  }
}

test('a call is recorded with its charge when its answer arrives', async () => {
  const key = await fairgate.manage.team('whole')
  const reply = await ask(key, {}, { 'user-agent': 'claude-cli/2.1.330', 'x-claude-code-session-id': 's-1' })
  const [row, ...others] = await read('whole')
  expect(others).toEqual([])
  expect(row).toMatchObject({
    call_id: callIdOf(reply),
    endpoint: 'chat',
    model_asked: model,
    model_served: model,
    outcome: 'completed',
    code: null,
    upstream: 'vendor',
    session_id: 's-1',
    session_source: 'x-claude-code-session-id',
    tool: 'claude',
    user_agent: 'claude-cli/2.1.330',
    client_address: '127.0.0.1',
    first_byte_ms: null,
  })
  expect(Number(row?.cost_nano)).toBe(sumCost(await readCharges(fairgate.place, 'whole')))
})

test('a stream is recorded once, with the time of its first byte', async () => {
  const key = await fairgate.manage.team('streamed')
  const reply = await ask(key, { stream: true })
  await reply.text()
  const rows = await read('streamed')
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject({ call_id: callIdOf(reply), outcome: 'completed' })
  expect(Number(rows[0]?.first_byte_ms)).toBeGreaterThanOrEqual(0)
  expect(rows[0]?.first_byte_ms).not.toBeNull()
})

test('a refused call is recorded with its code and figures', async () => {
  const key = await fairgate.manage.team('refused', { rpm_limit: 1 })
  await ask(key)
  const limited = await ask(key)
  const unknown = await ask(key, { model: 'no-such-model' })
  const wrong = await ask(key, { messages: [] })
  const rows = await waitFor('refused', 4)
  const byId = new Map(rows.map(row => [row.call_id, row]))
  expect(byId.get(callIdOf(limited))).toMatchObject({
    outcome: 'refused',
    code: 'rpm_exceeded',
    status: 429,
    cost_nano: 0,
  })
  expect(JSON.parse(String(byId.get(callIdOf(limited))?.refusal))).toMatchObject({
    level: 'team',
    limit: '1',
    used: '1',
  })
  expect(byId.get(callIdOf(unknown))).toMatchObject({
    outcome: 'refused',
    code: 'model_not_found',
    model_asked: 'no-such-model',
  })
  expect(byId.get(callIdOf(wrong))).toMatchObject({
    outcome: 'refused',
    code: 'invalid_request',
    status: 400,
  })
})

test('a replayed answer is recorded as replayed', async () => {
  const key = await fairgate.manage.team('replayed')
  const headers = { 'idempotency-key': 'once' }
  await ask(key, {}, headers)
  const again = await ask(key, {}, headers)
  const rows = await waitFor('replayed', 2)
  expect(rows.map(({ outcome }) => outcome)).toEqual(['completed', 'replayed'])
  expect(rows[1]).toMatchObject({ call_id: callIdOf(again), cost_nano: 0 })
})

test('a call without a result is recorded as failed', async () => {
  const key = await fairgate.manage.team('failed')
  const reply = await ask(key, { messages: [{ role: 'user', content: '[[sandbox: error=500]]' }] })
  expect(reply.status).toBeGreaterThanOrEqual(500)
  const rows = await waitFor('failed', 1)
  expect(rows[0]).toMatchObject({ call_id: callIdOf(reply), outcome: 'failed', status: reply.status })
})

test('names are recorded without characters that the database cannot store', async () => {
  const key = await fairgate.manage.team('odd')
  const headers = { 'x-session-id': 's\u00ad1' }
  const replies = await Promise.all([
    ask(key, { model: 'no\u0000such' }, headers),
    ask(key, { model: `\ud800${'x'.repeat(300)}` }),
  ])
  expect(replies.map(({ status }) => status)).toEqual([404, 400])
  const rows = await waitFor('odd', 2)
  expect(rows.map(row => row.model_asked)).toContain('nosuch')
  expect(rows).toHaveLength(2)
})

// Before the fix it was answered with 200, and nothing was recorded.
test('a pass-through stream that fails in its first chunk is recorded as failed', async () => {
  const key = await fairgate.manage.team('failed-stream')
  const reply = await fetch(`${fairgate.gatewayUrl}/vendor/v1beta/models/${model}:streamGenerateContent`, {
    method: 'POST',
    headers: { 'x-vendor-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(say('x [[sandbox: errorInStream=0; error=500]]')),
  })
  const rows = await waitFor('failed-stream', 1)
  expect(rows[0]).toMatchObject({ call_id: callIdOf(reply), outcome: 'failed', status: 500, cost_nano: 0 })
})

test('a loop of refused calls leaves a few rows that count all calls', async () => {
  const key = await fairgate.manage.team('loop', { rpm_limit: 1 })
  await ask(key)
  for (let round = 0; round < 20; round += 1)
    await Promise.all(Array.from({ length: 50 }, () => ask(key).then(reply => reply.bytes())))
  const rows = await waitFor('loop', 2)
  expect(rows.length).toBeLessThanOrEqual(3)
})

test('free calls are not recorded', async () => {
  const key = await fairgate.manage.team('free')
  const counted = await fetch(`${fairgate.gatewayUrl}/vendor/v1beta/models/${model}:countTokens`, {
    method: 'POST',
    headers: { 'x-goog-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }),
  })
  expect(counted.status).toBe(200)
  await fetch(`${fairgate.gatewayUrl}/key/info`, { headers: { authorization: `Bearer ${key}` } })
  await ask(key)
  // Uncharged calls are written in the order in which they ended.
  await ask(key, { model: 'no-such-model' })
  const rows = await waitFor('free', 2)
  expect(rows.map(({ outcome }) => outcome)).toEqual(['completed', 'refused'])
})
