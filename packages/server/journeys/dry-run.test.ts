// suite: test on sqlite; full on postgres
// `x-gateway-dry-run: 1` on every paid route: shows cost, hold and refusal of the call, and takes nothing.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type CallPreview, callPreviewSchema } from '@fairgate/contracts/spend/call-preview.ts'
import { Value } from 'typebox/value'
import { buildWorkingRequest, credentialFor, listDoorRoutes, sendRouted } from './testing/door-routes.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges, runStored } from './testing/stored-rows.ts'

let fairgate: Fairgate
beforeAll(async () => {
  fairgate = await startFairgate()
})
afterAll(() => fairgate.stop())

const chat = (
  key: string,
  changes: object = {},
  headers: Record<string, string> = { 'x-gateway-dry-run': '1' },
) =>
  fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model: 'mm-2.5-flash',
      max_tokens: 16,
      messages: [{ role: 'user', content: 'Hi' }],
      ...changes,
    }),
  })

async function preview(key: string, changes: object = {}): Promise<CallPreview> {
  const response = await chat(key, changes)
  const body: unknown = await response.json()
  expect({ status: response.status, body }).toMatchObject({ status: 200 })
  return Value.Parse(callPreviewSchema, body)
}

// Shown to fail if a route's runner does not stop a dry run: it is charged.
test('every paid route answers it, in every dialect, without calling a model', async () => {
  const key = await fairgate.manage.team('all-routes', { max_budget: 100 })
  const paid = (await listDoorRoutes(fairgate)).filter(
    ({ door, codes, method }) => door === 'gateway' && method === 'POST' && codes.includes('rpm_exceeded'),
  )
  expect(paid.length).toBeGreaterThan(15)
  const { calls } = fairgate.sandbox.counters()
  for (const route of paid) {
    const request = buildWorkingRequest(fairgate, route, { model: 'mm-2.5-flash' })
    const headers = { ...credentialFor(route, key), 'x-gateway-dry-run': '1', 'idempotency-key': 'dry' }
    const { status, text } = await sendRouted(request, headers)
    expect([route.path, status, text]).toEqual([
      route.path,
      200,
      expect.stringContaining('"object":"call_preview"'),
    ])
    expect(Value.Check(callPreviewSchema, JSON.parse(text))).toBe(true)
  }
  expect(fairgate.sandbox.counters().calls).toBe(calls)
  expect(await readCharges(fairgate.place, 'all-routes')).toEqual([])
  for (const table of ['calls', 'running_calls', 'idempotent_calls', 'video_tasks'])
    expect([table, await runStored(fairgate.place, `select 1 from ${table}`, [])]).toEqual([table, []])
})

test('it shows what the call would hold, and holds nothing', async () => {
  const key = await fairgate.manage.team('figures', { max_budget: 1, rpm_limit: 5, tpm_limit: 10_000 })
  for (let count = 0; count < 10; count += 1) await preview(key)
  const found = await preview(key, { stream: true })
  expect(found).toMatchObject({
    model: 'mm-2.5-flash',
    endpoint: 'chat',
    would_run: true,
    hold: { output_cap: 16, reduced: false },
    budgets: [
      { level: 'team', limit_nano: 1_000_000_000, spent_nano: 0, held_nano: 0, left_nano: 1_000_000_000 },
    ],
    refusal: null,
  })
  expect(found.estimate.cost_nano).toBeGreaterThan(0)
  expect(found.hold?.cost_nano).toBe(found.estimate.cost_nano)
  // The real call costs no more than that.
  const real = await chat(key, {}, {})
  expect(real.status).toBe(200)
  const [charge] = await readCharges(fairgate.place, 'figures')
  expect(charge?.cost_nano).toBeLessThanOrEqual(found.estimate.cost_nano)
  const after = await preview(key)
  expect(after.budgets[0]?.spent_nano).toBe(charge?.cost_nano ?? -1)
})

test('it names the limit that would refuse, in the words of the 429', async () => {
  const spent = await fairgate.manage.team('spent', { max_budget: 0 })
  const real = await chat(spent, {}, {})
  const { error } = (await real.json()) as { error: { code: string; message: string } }
  expect(real.status).toBe(429)
  expect(await preview(spent)).toMatchObject({
    would_run: false,
    hold: null,
    refusal: {
      code: error.code,
      message: error.message,
      level: 'team',
      limit: real.headers.get('x-gateway-limit'),
      used: real.headers.get('x-gateway-limit-used'),
    },
  })
  const rate = await fairgate.manage.team('rate', { rpm_limit: 1 })
  expect((await preview(rate)).would_run).toBe(true)
  expect((await chat(rate, {}, {})).status).toBe(200)
  expect((await chat(rate, {}, {})).status).toBe(429)
  expect(await preview(rate)).toMatchObject({
    would_run: false,
    refusal: { code: 'rpm_exceeded', level: 'team' },
  })
})

// Shown to fail without the slot: the dry run is answered.
test('it takes a slot like any call of the key', async () => {
  const key = await fairgate.manage.team('slots', {}, { max_parallel_requests: 1 })
  const release = fairgate.holdUpstream()
  const { calls } = fairgate.sandbox.counters()
  const waiting = { messages: [{ role: 'user', content: 'Jazz [[sandbox: firstByteDelayMs=1]]' }] }
  const running = chat(key, waiting, {})
  while (fairgate.sandbox.counters().calls === calls) await Bun.sleep(5)
  const refused = await chat(key)
  expect([refused.status, refused.headers.get('x-gateway-limit-level')]).toEqual([429, 'key'])
  expect(await refused.text()).toContain('parallel_exceeded')
  release()
  expect((await running).status).toBe(200)
  expect((await preview(key)).would_run).toBe(true)
})

// Shown to fail without the ration: all are answered.
test('a team has 120 dry runs per minute over all its keys, and its calls do not count', async () => {
  const key = await fairgate.manage.team('eager')
  const other = await fairgate.manage.key('eager')
  const statuses: number[] = []
  for (let count = 0; count < 120; count += 1)
    statuses.push((await chat(count % 2 === 0 ? key : other)).status)
  expect(new Set(statuses)).toEqual(new Set([200]))
  const refused = await chat(other)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.text()).toContain('120 dry runs')
  expect((await chat(key, {}, {})).status).toBe(200)
})

test('an invalid request is refused, and so is a header that is neither yes nor no', async () => {
  const key = await fairgate.manage.team('refusals')
  const unknown = await chat(key, { model: 'nothing' })
  expect(unknown.status).toBe(404)
  expect((await chat(key, { messages: 'none' })).status).toBe(400)
  expect((await chat(key, {}, { 'x-gateway-dry-run': 'yes' })).status).toBe(400)
  expect(await readCharges(fairgate.place, 'refusals')).toEqual([])
})
