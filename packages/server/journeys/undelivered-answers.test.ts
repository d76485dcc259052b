// suite: test on sqlite; test on postgres; 15 s
// Calls with a charge that cannot be recorded in time: without an Idempotency-Key they are refunded, with one their answer is stored and replayed.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from '../src/main.ts'
import { type CutProxy, startCutProxy } from './testing/cut-proxy.ts'
import { createManagement, type Management } from './testing/management.ts'
import { adminKey, createSurroundings, type Surroundings } from './testing/start-fairgate.ts'
import { readCharges, sumCost } from './testing/stored-rows.ts'

let place: Surroundings
let proxy: CutProxy | null
let server: Awaited<ReturnType<typeof startServer>>
let manage: Management
let key: string
beforeEach(async () => {
  place = await createSurroundings()
  proxy = place.databaseUrl === null ? null : await startCutProxy(place.databaseUrl)
  server = await startServer({
    ...place.variables,
    ...(proxy === null ? {} : { DATABASE_URL: proxy.url }),
  })
  manage = createManagement(server.adminUrl, adminKey)
  key = await manage.team('team-a', { max_budget: 100 })
})
afterEach(async () => {
  await proxy?.restore()
  await server.stop()
  await proxy?.cut()
  await place.remove()
})

const slow = 'Hello [[sandbox: firstByteDelayMs=1]]'
const databaseFile = () => join(place.dataFolder, 'fairgate.db')

async function takeDatabaseAway(): Promise<void> {
  if (proxy === null) renameSync(databaseFile(), `${databaseFile()}.aside`)
  else await proxy.cut()
}

async function giveDatabaseBack(): Promise<void> {
  if (proxy === null) renameSync(`${databaseFile()}.aside`, databaseFile())
  else await proxy.restore()
  while ((await fetch(`${server.gatewayUrl}/health/ready`)).status !== 200) await Bun.sleep(20)
  while ((await manage.teamInfo('team-a')).team_info.held > 0) await Bun.sleep(20)
}

type Reply = {
  readonly status: number
  readonly callId: string
  readonly replayed: string | null
  readonly text: string
}

function post(idempotencyKey: string | null, changes: object): Promise<Response> {
  return fetch(`${server.gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: slow }], ...changes }),
  })
}

async function ask(idempotencyKey: string | null, changes: object = {}): Promise<Reply> {
  const response = await post(idempotencyKey, changes)
  return {
    status: response.status,
    callId: response.headers.get('x-gateway-call-id') ?? '',
    replayed: response.headers.get('idempotent-replayed'),
    text: await response.text(),
  }
}

/** Makes calls that the upstream answers only once the database is away; `meanwhile` runs while it is. */
async function askDuringOutage(asked: () => Promise<Reply>[], meanwhile = async () => undefined) {
  const release = place.holdUpstream()
  const before = place.sandbox.counters().calls
  const replies = asked()
  while (place.sandbox.counters().calls < before + replies.length) await Bun.sleep(5)
  await takeDatabaseAway()
  release()
  const answered = await Promise.all(replies)
  await meanwhile()
  await giveDatabaseBack()
  return answered
}

const spend = async () => Math.round((await manage.teamInfo('team-a')).team_info.spend * 1e9)
const ten = (make: (index: number) => Promise<Reply>) => () => Array.from({ length: 10 }, (_, at) => make(at))

// On the build before: ten charges, no refund, and 10 of 10 repeats with 409 `idempotency_lost`.
describe('a charge that cannot be recorded in time', () => {
  test('without an Idempotency-Key: 503, and refunded automatically once the ledger is back', async () => {
    const answered = await askDuringOutage(ten(() => ask(null)))
    expect(answered.map(({ status }) => status)).toEqual(Array(10).fill(503))
    const charges = await readCharges(place, 'team-a')
    expect([charges.filter(({ outcome }) => outcome === 'refunded').length, sumCost(charges)]).toEqual([
      10, 0,
    ])
    expect(await spend()).toBe(0)
    for (const { callId, text } of answered) {
      expect(text).toContain(`GET /self/calls/${callId}`)
      expect(text).not.toContain('ry again')
      const shown = await fetch(`${server.gatewayUrl}/self/calls/${callId}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      expect(await shown.json()).toMatchObject({ left_nano: 0, corrections: [{ kind: 'refund' }] })
    }
    const listed = (await (await manage.call('GET', '/calls?undelivered=true')).json()) as {
      items: { call_id: string }[]
    }
    expect(listed.items.map(({ call_id }) => call_id).toSorted()).toEqual(
      answered.map(({ callId }) => callId).toSorted(),
    )
  }, 60_000)

  test('with an Idempotency-Key: 503, in progress while it waits, then the answer, charged once', async () => {
    const keys = Array.from({ length: 10 }, (_, at) => `key-${at}`)
    const waiting: Reply[] = []
    const answered = await askDuringOutage(
      ten(at => ask(keys[at] ?? '')),
      async () => {
        waiting.push(await ask('key-0'))
      },
    )
    expect(answered.map(({ status }) => status)).toEqual(Array(10).fill(503))
    expect(answered[0]?.text).toContain('same Idempotency-Key')
    expect(waiting.map(({ status, text }) => [status, text.includes('idempotency_running')])).toEqual([
      [409, true],
    ])
    const made = place.sandbox.counters().calls
    for (const name of keys) {
      let again = await ask(name)
      while (again.status === 409 && again.text.includes('idempotency_running')) again = await ask(name)
      expect([again.status, again.replayed]).toEqual([200, 'true'])
      expect(JSON.parse(again.text).choices[0].message.content.length).toBeGreaterThan(0)
    }
    const charges = await readCharges(place, 'team-a')
    expect([charges.length, place.sandbox.counters().calls - made]).toEqual([10, 0])
    expect(charges.every(({ cost_nano }) => cost_nano > 0)).toBe(true)
    expect(await spend()).toBe(sumCost(charges))
  }, 60_000)

  test('a stream without an Idempotency-Key ends with an error, and organisers refund all such answers of a time range', async () => {
    const from = new Date().toISOString()
    const { callId, text } = await streamDuringOutage(null)
    expect(text).toContain(`GET /self/calls/${callId}`)
    expect(text).toContain('"code":"unavailable"')
    const charges = await readCharges(place, 'team-a')
    expect(charges.map(({ outcome }) => outcome)).toEqual(['completed'])
    const asked = { from, until: new Date(Date.now() + 1000).toISOString(), reason: 'the disk failed' }
    const refund = async (more: object) =>
      (await (await manage.call('POST', '/calls/refund_undelivered', { ...asked, ...more })).json()) as object
    const cost = sumCost(charges)
    const preview = (await refund({ dry_run: true })) as { preview_id: string }
    expect(preview).toMatchObject({ applied: false, changes: [{ subject: callId, from: cost, to: 0 }] })
    const { preview_id } = preview
    expect(await refund({ preview_id })).toMatchObject({ calls: 1, amount_nano: -cost })
    expect(await refund({ preview_id })).toMatchObject({ error: { code: 'preview_outdated' } })
    expect(await refund({})).toMatchObject({ calls: 0, amount_nano: 0 })
    expect(await spend()).toBe(0)
  }, 60_000)

  test('a stream with an Idempotency-Key waits for its charge, ends complete, and is replayed', async () => {
    const { text } = await streamDuringOutage('stream')
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
    const again = await ask('stream', { stream: true, messages: streamed })
    expect([again.replayed, again.text]).toEqual(['true', text.replaceAll(': keep-alive\n\n', '')])
    expect(await readCharges(place, 'team-a')).toHaveLength(1)
  }, 60_000)
})

const streamed = [{ role: 'user', content: 'Hello there, dear model [[sandbox: chunkDelayMs=1]]' }]

/** A stream that has begun when the database goes away, and has ended upstream before it is back. */
async function streamDuringOutage(idempotencyKey: string | null): Promise<{ callId: string; text: string }> {
  const release = place.holdUpstream()
  const response = await post(idempotencyKey, { stream: true, messages: streamed })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = (await reader?.read())?.value ?? ''
  await takeDatabaseAway()
  release()
  while ((await fetch(`${server.gatewayUrl}/health/ready`)).status === 200) await Bun.sleep(20)
  const ended = (async () => {
    for (;;) {
      const next = await reader?.read()
      if (next === undefined || next.done) return
      text += next.value
    }
  })()
  if (idempotencyKey === null) await ended
  await giveDatabaseBack()
  await ended
  return { callId: response.headers.get('x-gateway-call-id') ?? '', text }
}
