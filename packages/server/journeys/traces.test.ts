// suite: test on sqlite and postgres; 12 s
// Traces of calls, as a collector receives them: each call is one span below the client's, and no one waits for the collector.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ChatCompletion } from '@fairgate/contracts/chat/response.ts'
import { findTestPostgres } from '../src/store/testing/create-test-postgres.ts'
import { findFreePort } from './testing/find-free-port.ts'
import { createManagement, type Management } from './testing/management.ts'
import { type SpawnedFairgate, spawnFairgate, spawnProcess } from './testing/spawn-fairgate.ts'
import { adminKey, createSurroundings, type Surroundings } from './testing/start-fairgate.ts'
import { TraceReceiver } from './testing/trace-receiver.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const parentId = 'b7ad6b7169203331'
const traceparent = `00-${traceId}-${parentId}-01`
const prompt = 'The secret ingredient is nutmeg.'
const collectorKey = 'key-of-the-collector-0123456789'

let place: Surroundings
let receiver: TraceReceiver
/** Stands before the sandbox, and keeps the headers of each request. */
let vendor: Bun.Server<undefined>
let failWith: number | null = null
/** Until then only the first piece of a stream arrives. */
let holdStreams: Promise<void> | null = null
let server: SpawnedFairgate
let manage: Management
const sentUpstream: Headers[] = []

beforeAll(async () => {
  receiver = new TraceReceiver(findFreePort())
  place = await createSurroundings({ logLevel: 'info', settings: 'drain_announce_seconds: 0' })
  vendor = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => {
      sentUpstream.push(request.headers)
      if (failWith !== null) return Response.json({ error: { code: failWith } }, { status: failWith })
      const { pathname, search } = new URL(request.url)
      const reply = await fetch(`${place.sandbox.url}${pathname}${search}`, request)
      const isHeld = holdStreams !== null && pathname.endsWith(':streamGenerateContent')
      return isHeld && reply.body !== null ? new Response(holdRest(reply.body, holdStreams), reply) : reply
    },
  })
  server = await spawnFairgate({
    variables: traced({ OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_EXPORTER_OTLP_TIMEOUT: '1000' }),
  })
  manage = createManagement(server.adminUrl, adminKey)
})
afterAll(async () => {
  server.kill('SIGKILL')
  await server.exited
  await receiver.kill()
  await vendor.stop(true)
  await place.remove()
})

async function* holdRest(body: AsyncIterable<Uint8Array>, end: Promise<void> | null) {
  for await (const piece of body) {
    yield piece
    await end
  }
}

function traced(further: Readonly<Record<string, string>>): Record<string, string> {
  return {
    ...place.variables,
    VENDOR_BASE_URL: `http://127.0.0.1:${vendor.port}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${collectorKey}`,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=final',
    ...further,
  }
}

const send = (
  key: string,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = { traceparent },
) =>
  fetch(`${server.gatewayUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const chat = (key: string, members: object = {}, headers?: Readonly<Record<string, string>>) =>
  send(
    key,
    '/v1/chat/completions',
    { model: 'mm-2.5-flash', max_tokens: 300, messages: [{ role: 'user', content: prompt }], ...members },
    headers,
  )

const milliseconds = (nanoseconds: string) => Number(BigInt(nanoseconds) / 1_000_000n)

test('an answered call is one span below its client, with what it used and cost', async () => {
  const key = await manage.team('answered')
  sentUpstream.length = 0
  const sentAt = Date.now()
  const response = await chat(key)
  const { usage, choices } = (await response.json()) as ChatCompletion
  const span = await receiver.of(response)
  expect(span).toMatchObject({ traceId, parentSpanId: parentId, name: 'chat mm-2.5-flash', kind: 2 })
  expect(span.status.code ?? 0).toBe(0)
  expect(span.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'gcp.gemini',
    'gen_ai.request.model': 'mm-2.5-flash',
    'gen_ai.request.max_tokens': 300,
    'gen_ai.response.model': 'mm-2.5-flash',
    'gen_ai.response.finish_reasons': [choices[0]?.finish_reason],
    'gen_ai.usage.input_tokens': usage.prompt_tokens,
    'gen_ai.usage.output_tokens': usage.completion_tokens,
    'gen_ai.usage.cache_read.input_tokens': 0,
    'gen_ai.usage.reasoning.output_tokens': 0,
    'http.request.method': 'POST',
    'http.route': '/v1/chat/completions',
    'http.response.status_code': 200,
    'fairgate.call.id': response.headers.get('x-gateway-call-id'),
    'fairgate.team.id': 'answered',
    'fairgate.key.id': new Bun.CryptoHasher('sha256').update(key).digest('hex'),
    'fairgate.outcome': 'completed',
    'fairgate.cost': Number(response.headers.get('x-gateway-response-cost')),
    'fairgate.upstream': 'vendor',
    'fairgate.upstream.attempts': 1,
  })
  expect(span.resource).toMatchObject({
    'service.name': 'fairgate',
    'deployment.environment.name': 'final',
    'telemetry.sdk.language': 'nodejs',
  })
  expect(milliseconds(span.startTimeUnixNano)).toBeGreaterThanOrEqual(sentAt - 1)
  expect(milliseconds(span.endTimeUnixNano)).toBeLessThanOrEqual(Date.now())
  expect(receiver.headers.at(-1)?.get('x-collector-key')).toBe(collectorKey)
  // The trace ends here: a model provider has no use for the ids of a participant's work.
  expect(sentUpstream.map(headers => headers.get('traceparent'))).toEqual([null])
})

test('the span of a stream ends with the stream', async () => {
  const key = await manage.team('streamed')
  const held = Promise.withResolvers<void>()
  holdStreams = held.promise
  const response = await chat(key, {
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: `${prompt} [[sandbox: cachedTokens=4; chunks=5; chunkDelayMs=40]]` }],
  })
  // Answered and exported while the stream is still open.
  const between = await receiver.of(await chat(key))
  holdStreams = null
  held.resolve()
  const text = await response.text()
  const cost = Number(/"cost":([\d.e-]+)/.exec(text)?.[1])
  const span = await receiver.of(response)
  expect(span).toMatchObject({
    traceId,
    parentSpanId: parentId,
    attributes: {
      'gen_ai.request.stream': true,
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.cache_read.input_tokens': 4,
      'fairgate.outcome': 'completed',
      'fairgate.cost': cost,
      'fairgate.upstream.attempts': 1,
    },
  })
  expect(milliseconds(span.endTimeUnixNano)).toBeGreaterThan(milliseconds(between.endTimeUnixNano))
  const first = Number(span.attributes['gen_ai.response.time_to_first_chunk']) * 1000
  expect(milliseconds(span.startTimeUnixNano) + first).toBeLessThan(milliseconds(between.endTimeUnixNano))

  const left = await chat(key, {
    stream: true,
    messages: [{ role: 'user', content: '[[sandbox: chunks=1000; chunkDelayMs=40]]' }],
  })
  const reader = left.body?.getReader()
  await reader?.read()
  await reader?.cancel()
  const { attributes } = await receiver.of(left)
  expect(attributes).toMatchObject({ 'fairgate.outcome': 'client_closed', 'http.response.status_code': 200 })
  expect(attributes['fairgate.cost']).toBeGreaterThan(0)
})

test('refused calls have spans too, which name their refusal and nothing that a stranger wrote', async () => {
  const key = await manage.team('refused', { rpm_limit: 1 })
  await chat(key)
  const limited = await chat(key, { stream: true })
  const unknown = await chat(key, { model: 'my-address-is-12-elm-street' })
  const stranger = await chat('sk-1234567890123456789012345678')
  const spans = await Promise.all([limited, unknown, stranger].map(response => receiver.of(response)))
  expect(spans.map(({ name, status }) => [name, status.code ?? 0])).toEqual([
    ['chat mm-2.5-flash', 0],
    ['chat', 0],
    ['chat', 0],
  ])
  expect(spans.map(({ parentSpanId }) => parentSpanId)).toEqual([parentId, parentId, parentId])
  expect(spans[0]?.attributes).toMatchObject({
    'gen_ai.provider.name': 'gcp.gemini',
    'gen_ai.request.stream': true,
    'error.type': 'rpm_exceeded',
    'http.response.status_code': 429,
    'fairgate.team.id': 'refused',
    'fairgate.outcome': 'refused',
    'fairgate.upstream.attempts': 0,
  })
  expect(spans[0]?.attributes).not.toHaveProperty('fairgate.cost')
  expect(spans[1]?.attributes).toMatchObject({
    'error.type': 'model_not_found',
    'fairgate.team.id': 'refused',
  })
  expect(spans[2]?.attributes).toMatchObject({
    'error.type': 'invalid_api_key',
    'http.response.status_code': 401,
  })
  expect(spans[2]?.attributes).not.toHaveProperty('fairgate.team.id')
})

test('a failing upstream is a failed span with all attempts', async () => {
  const key = await manage.team('failing')
  failWith = 500
  const response = await chat(key).finally(() => {
    failWith = null
  })
  expect(response.status).toBe(502)
  const span = await receiver.of(response)
  expect(span).toMatchObject({
    parentSpanId: parentId,
    status: { code: 2 },
    attributes: {
      'gen_ai.request.model': 'mm-2.5-flash',
      'error.type': 'upstream_error',
      'fairgate.outcome': 'failed',
      'fairgate.upstream.attempts': 3,
    },
  })
  expect(span.attributes).not.toHaveProperty('gen_ai.response.model')

  const broken = await chat(key, {
    stream: true,
    messages: [{ role: 'user', content: '[[sandbox: chunks=9; errorInStream=3]]' }],
  })
  await broken.text()
  expect(await receiver.of(broken)).toMatchObject({
    status: { code: 2 },
    attributes: { 'error.type': '_OTHER', 'fairgate.outcome': 'failed', 'gen_ai.request.stream': true },
  })
})

test('other kinds of calls: a repeated one, an image, embeddings, the pass-through and a video', async () => {
  const key = await manage.team('kinds')
  const once = { traceparent, 'idempotency-key': 'once' }
  await chat(key, {}, once)
  const repeated = await receiver.of(await chat(key, {}, once))
  expect(repeated.attributes).toMatchObject({
    'fairgate.outcome': 'replayed',
    'fairgate.upstream.attempts': 0,
  })
  expect(repeated.attributes).not.toHaveProperty('fairgate.cost')
  const describe = async (path: string, body: object, headers = {}) => {
    const response = await send(key, path, body, { traceparent, 'x-vendor-api-key': key, ...headers })
    expect(response.status).toBe(200)
    await response.arrayBuffer()
    const { name, attributes } = await receiver.of(response)
    return [name, attributes['http.route'], attributes['fairgate.cost']]
  }
  const generate = { contents: [{ parts: [{ text: prompt }] }] }
  expect([
    await describe('/images/generations', { model: 'imggen-4', prompt }),
    await describe('/v1/embeddings', { model: 'mm-embedding-001', input: prompt }),
    await describe('/vendor/v1beta/models/mm-2.5-flash:generateContent', generate),
    await describe('/v1/videos', { model: 'video-3.1-lite-generate-001', prompt, seconds: '4' }),
  ]).toEqual([
    ['generate_content imggen-4.0-generate-001', '/v1/images/generations', 0.04],
    ['embeddings mm-embedding-001', '/v1/embeddings', expect.any(Number)],
    ['generate_content mm-2.5-flash', expect.stringContaining(':generateContent'), expect.any(Number)],
    ['generate_content video-3.1-lite-generate-001', '/v1/videos', 0.2],
  ])
})

test('the client decides about sampling; an invalid traceparent counts as none', async () => {
  const key = await manage.team('sampled')
  const unsampled = await chat(key, {}, { traceparent: `00-${traceId}-${parentId}-00` })
  const dryRun = await chat(key, {}, { traceparent, 'x-gateway-dry-run': '1' })
  for (const invalid of [
    `00-${'0'.repeat(32)}-${parentId}-01`,
    `ff-${traceId}-${parentId}-01`,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    'x'.repeat(5000),
  ]) {
    const span = await receiver.of(await chat(key, {}, { traceparent: invalid, tracestate: 'who=me' }))
    expect(span.parentSpanId ?? '').toBe('')
    expect(span.traceId).not.toBe(traceId)
  }
  // Spans leave in the order in which they end.
  const seen = receiver.spans.map(({ attributes }) => attributes['fairgate.call.id'])
  for (const { headers } of [unsampled, dryRun]) expect(seen).not.toContain(headers.get('x-gateway-call-id'))
})

// Shown to fail on a build that adds the user agent to the attributes.
test('the collector gets no text, no key and no name of a program; the log gets no header of the export', () => {
  const sent = receiver.bodies.join('\n')
  for (const kept of ['nutmeg', 'elm-street', 'sk-', 'Bun/', 'who=me', '127.0.0.1'])
    expect(sent).not.toContain(kept)
  expect(server.output()).not.toContain(collectorKey)
})

// Shown to fail on a build that reports each failed export.
test('a dead collector delays no call and is logged once', async () => {
  const key = await manage.team('unwatched')
  await receiver.kill()
  const failed = 'Traces could not be exported.'
  const replies = await Promise.all(Array.from({ length: 20 }, () => chat(key)))
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  await server.printed(failed)
  for (const _ of Array.from({ length: 5 })) {
    expect((await chat(key)).status).toBe(200)
    await Bun.sleep(30)
  }
  receiver.start()
  const response = await chat(key)
  await receiver.of(response)
  await server.printed('Traces are exported again.')
  expect(server.output().split(failed)).toHaveLength(2)
}, 60_000)

test('spans that wait leave before the process ends, and a collector that never answers does not keep it', async () => {
  const key = await manage.team('last')
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  server = await spawnFairgate({ variables: traced({ OTEL_BSP_SCHEDULE_DELAY: '3600000' }) })
  const response = await chat(key)
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  await receiver.of(response)

  const silent = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Promise(() => undefined) })
  server = await spawnFairgate({
    variables: traced({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${silent.port}/v1/traces` }),
  })
  expect((await chat(key)).status).toBe(200)
  const stoppedAt = performance.now()
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  // The flush ends after 2 s; the rest is the usual stop. The exporter itself would wait for 10 s.
  expect(performance.now() - stoppedAt).toBeLessThan(8000)
  await silent.stop(true)
}, 60_000)

test('a protocol that the exporter does not speak stops the start', async () => {
  const refused = spawnProcess({ variables: traced({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }) })
  expect(await refused.exited).toBe(1)
  expect(refused.output()).toBe(
    'fairgate: OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", but Fairgate exports traces only over HTTP. Set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json, and name the HTTP port of the collector (usually 4318).\n',
  )
})

const testOnPostgres = findTestPostgres() === null || process.platform !== 'linux' ? () => undefined : test

testOnPostgres(
  'each of two processes exports the spans of its own calls',
  async () => {
    server.kill('SIGKILL')
    await server.exited
    server = await spawnFairgate({
      variables: traced({
        OTEL_BSP_SCHEDULE_DELAY: '20',
        FAIRGATE_GATEWAY_PORT: String(findFreePort()),
        FAIRGATE_LOGBOOK_PORT: String(findFreePort()),
        FAIRGATE_ADMIN_PORT: String(findFreePort()),
      }),
      options: ['--processes', '2'],
    })
    await server.printed('2 processes serve these addresses.')
    const key = await createManagement(server.adminUrl, adminKey).team('several')
    const instances = new Set<unknown>()
    while (instances.size < 2) {
      const response = await fetch(`${server.gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        keepalive: false,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', traceparent },
        body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: prompt }] }),
      })
      expect(response.status).toBe(200)
      const span = await receiver.of(response)
      expect(span).toMatchObject({ traceId, parentSpanId: parentId })
      instances.add(span.resource['service.instance.id'])
    }
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
  },
  60_000,
)
