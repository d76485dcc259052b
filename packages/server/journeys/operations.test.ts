// suite: 10 s
// Operations: a start that explains itself, a stop that loses nothing, figures that add up, logs without secrets.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from '../src/main.ts'
import { failureOf } from '../src/store/testing/failure-of.ts'
import { ingest, sampleEntry } from './testing/logbook-client.ts'
import { createManagement } from './testing/management.ts'
import { spawnFairgate, spawnProcess } from './testing/spawn-fairgate.ts'
import {
  adminKey,
  createSurroundings,
  type Surroundings,
  upstreamKey,
  writeSettings,
} from './testing/start-fairgate.ts'
import { readCharges, readOpenCosts } from './testing/stored-rows.ts'

let place: Surroundings
beforeEach(async () => {
  place = await createSurroundings()
})
afterEach(() => place.remove())

const prompt = 'a-prompt-that-no-log-may-show'
const chat = (gatewayUrl: string, key: string, changes: object = {}) =>
  fetch(`${gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'mm-2.5-flash',
      max_tokens: 16,
      messages: [{ role: 'user', content: prompt }],
      ...changes,
    }),
  })

describe('a start that is impossible', () => {
  const cases: [string, Record<string, string>, string, string][] = [
    ['an invalid database URL', { DATABASE_URL: 'mysql://host' }, '', 'DATABASE_URL'],
    ['an unknown variable', { FAIRGATE_COLOUR: 'red' }, '', 'FAIRGATE_COLOUR'],
    ['a port that is no number', { FAIRGATE_GATEWAY_PORT: 'http' }, '', 'FAIRGATE_GATEWAY_PORT'],
    [
      'one port for two doors',
      { FAIRGATE_GATEWAY_PORT: '4999', FAIRGATE_LOGBOOK_PORT: '4999' },
      '',
      'must differ',
    ],
    ['a host of metrics without a port', { FAIRGATE_METRICS_HOST: '::' }, '', 'FAIRGATE_METRICS_PORT'],
    ['a short admin key', { FAIRGATE_ADMIN_KEY: 'short' }, '', 'FAIRGATE_ADMIN_KEY'],
    ['an address without a key', { VENDOR_API_KEY: '' }, '', 'VENDOR_API_KEY'],
    ['an invalid address', { VENDOR_BASE_URL: 'vendor' }, '', 'VENDOR_BASE_URL'],
    ['an unknown setting', {}, 'colour: red', 'colour'],
    ['a wrong nested setting', {}, 'limits: { max_body_mebibytes: 0 }', 'limits.max_body_mebibytes'],
    [
      'a settings file that is not there',
      { FAIRGATE_CONFIG: '/nowhere/fairgate.yaml' },
      '',
      '/nowhere/fairgate.yaml',
    ],
  ]
  // In this process: what `fairgate serve` prints is the message of whatever ended it (cli/run-program.ts).
  test.each(cases)('the error names %s', async (_name, changes, settings, named) => {
    writeSettings(place.folder, settings)
    const failure = await failureOf(startServer({ ...place.variables, ...changes }))
    expect(failure.message).toContain(named)
    expect(failure.message).not.toContain('    at ')
  })

  test('a catalog with an unpriced model is refused: only the message is printed, with an exit code', async () => {
    const settings = writeSettings(place.folder)
    writeFileSync(
      join(place.folder, 'models.yaml'),
      'models: { m: { upstream_id: u, context_limit: 1, max_output: 1, typical_output: 1 } }',
    )
    writeFileSync(settings, `models_file: ${join(place.folder, 'models.yaml')}`)
    const server = spawnProcess({ variables: place.variables })
    expect(await server.exited).toBe(1)
    expect(server.output()).toContain('models.m')
    expect(server.output()).toContain('price')
    expect(server.output()).not.toContain('    at ')
  })

  test('a port in use: the error names the setting', async () => {
    const other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
    const variables = { ...place.variables, FAIRGATE_LOGBOOK_PORT: String(other.port) }
    expect((await failureOf(startServer(variables))).message).toContain('FAIRGATE_LOGBOOK_PORT')
    await other.stop(true)
  })
})

/** Resolves once its doors accept nothing new. */
async function beginsToDrain({ gatewayUrl }: { readonly gatewayUrl: string }): Promise<void> {
  const isOpen = () =>
    fetch(`${gatewayUrl}/health/live`, { keepalive: false }).then(
      () => true,
      () => false,
    )
  while (await isOpen()) await Bun.sleep(5)
}

// Shown to fail without `countCalls` in process/drain.ts for calls without a client: the listener does not know about them.
test("a server's life: figures add up, the log has no secrets, and SIGTERM lets running calls finish and leaves nothing open", async () => {
  writeSettings(place.folder, 'drain_seconds: 600', 'info')
  const server = await spawnFairgate({ variables: place.variables })
  const manage = createManagement(server.adminUrl, adminKey)

  const metered = await manage.team('metrics', { rpm_limit: 2 })
  const { token: meteredToken } = await manage.token('metrics')
  for (let call = 0; call < 3; call += 1) await chat(server.gatewayUrl, metered)
  await ingest(server.logbookUrl, meteredToken, [sampleEntry, sampleEntry, null])
  expectFigures(await (await fetch(`${server.adminUrl}/metrics`)).text())

  const key = await manage.team('logs')
  const { token } = await manage.token('logs')
  const response = await chat(server.gatewayUrl, key)
  const streamed = await chat(server.gatewayUrl, key, { stream: true })
  await streamed.text()
  await chat(server.gatewayUrl, key, {
    messages: [{ role: 'user', content: `${prompt} [[sandbox: error=500]]` }],
  })
  await ingest(server.logbookUrl, token, [{ ...sampleEntry, prompt }])
  await fetch(`${server.gatewayUrl}/key/info?secret=${key}`, {
    headers: { authorization: 'Bearer sk-wrong' },
  })

  const draining = await manage.team('drain')
  const left = await manage.team('left')
  place.sandbox.setSwitches({ firstByteDelayMs: 1, chunkDelayMs: 1 })
  const release = place.holdUpstream()
  const running = Array.from({ length: 10 }, async (_, index) => {
    const reply = await chat(server.gatewayUrl, draining, { stream: index % 2 === 0, max_tokens: 64 })
    return { status: reply.status, text: await reply.text() }
  })
  const leaving = new AbortController()
  const abandoned = fetch(`${server.gatewayUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${left}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: prompt }] }),
    signal: leaving.signal,
  }).catch(() => null)
  while (place.sandbox.counters().running < 11) await Bun.sleep(1)
  leaving.abort()
  await abandoned
  server.kill('SIGTERM')
  await beginsToDrain(server)
  release()
  const replies = await Promise.all(running)
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
  for (const { text } of replies.filter((_, index) => index % 2 === 0)) expect(text).toEndWith('[DONE]\n\n')
  expect(await server.exited).toBe(0)
  expect(await readCharges(place, 'drain')).toHaveLength(10)
  expect((await readCharges(place, 'left')).map(({ outcome }) => outcome)).toEqual(['completed'])
  expect(await readOpenCosts(place)).toEqual([])

  const output = server.output()
  expectLines(output, response.headers, streamed.headers)
  for (const secret of [key, token, metered, draining, left, adminKey, upstreamKey, prompt, 'sk-wrong'])
    expect(output).not.toContain(secret)
}, 300_000)

/** Requests, upstream, tokens, cost, refusals, holds, entries: after three calls of which one was refused, and one entry sent twice. */
function expectFigures(text: string): void {
  const figureOf = (name: string) =>
    Number(new RegExp(`^${name.replaceAll(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(text)?.[1])
  const route = 'door="gateway",route="/v1/chat/completions"'
  expect(figureOf(`fairgate_requests_total{${route},status="200"}`)).toBe(2)
  expect(figureOf(`fairgate_requests_total{${route},status="429"}`)).toBe(1)
  expect(figureOf(`fairgate_request_seconds_count{${route}}`)).toBe(3)
  expect(figureOf('fairgate_upstream_seconds_count')).toBe(2)
  expect(figureOf('fairgate_upstream_calls_total{upstream="vendor",outcome="ok"}')).toBe(2)
  expect(figureOf('fairgate_disk_free_bytes')).toBeGreaterThan(0)
  expect(figureOf('fairgate_disk_size_bytes')).toBeGreaterThan(figureOf('fairgate_disk_free_bytes'))
  expect(figureOf('fairgate_tokens_total{kind="outputText",model="mm-2.5-flash"}')).toBe(32)
  expect(figureOf('fairgate_cost_usd_total{model="mm-2.5-flash"}')).toBeGreaterThan(0.00008)
  expect(figureOf('fairgate_refusals_total{code="rpm_exceeded",level="team"}')).toBe(1)
  expect(figureOf('fairgate_holds')).toBe(0)
  expect(figureOf('fairgate_ingest_entries_total{outcome="stored"}')).toBe(1)
  expect(figureOf('fairgate_ingest_entries_total{outcome="duplicate"}')).toBe(1)
  expect(figureOf('fairgate_ingest_entries_total{outcome="rejected"}')).toBe(1)
}

/** One line per request with its call id and its cost, and what the upstream refused. */
function expectLines(output: string, whole: Headers, streamed: Headers): void {
  const lines = output
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line) as Record<string, unknown>)
  const linesOf = (headers: Headers) =>
    lines.filter(line => line.call_id === headers.get('x-gateway-call-id'))
  expect(linesOf(whole)).toMatchObject([
    {
      status: 200,
      team_id: 'logs',
      model: 'mm-2.5-flash',
      cost: Number(whole.get('x-gateway-response-cost')),
      input_tokens: expect.any(Number),
      output_tokens: expect.any(Number),
    },
  ])
  const [streamLine] = linesOf(streamed)
  expect(streamLine).toMatchObject({ outcome: 'completed', output_tokens: expect.any(Number) })
  expect(Number(streamLine?.cost)).toBeGreaterThan(0)
  // The call that the upstream refused: upstream, key, error, and that it was retried.
  const failures = lines.filter(line => line.upstream !== undefined)
  expect(failures[0]).toMatchObject({
    level: 40,
    upstream: 'vendor',
    upstream_key: `…${upstreamKey.slice(-4)}`,
    endpoint: 'chat',
    status: 500,
    outcome: 'upstream_error',
    cause: expect.any(String),
    retried: true,
  })
}

test('a drain that takes too long cuts off streams and charges their usage', async () => {
  writeSettings(place.folder, 'drain_seconds: 1')
  const server = await startServer(place.variables)
  const key = await createManagement(server.adminUrl, adminKey).team('slow')
  place.sandbox.setSwitches({ chunkDelayMs: 1, chunks: 4, outputTokens: 40 })
  const release = place.holdUpstream()
  const response = await chat(server.gatewayUrl, key, { stream: true, max_tokens: 100 })
  const reader = response.body?.getReader()
  await reader?.read()
  await server.stop()
  release()
  const charges = await readCharges(place, 'slow')
  expect(charges).toHaveLength(1)
  expect(charges[0]?.outcome).not.toBe('completed')
  expect(charges[0]?.cost_nano).toBeGreaterThan(0)
}, 300_000)
