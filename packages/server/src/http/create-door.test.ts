// A door from the client's side: routing, order of checks, error replies, call ids, log lines.
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import Type from 'typebox'
import type { Call } from './call.ts'
import { createMetrics } from './metrics.ts'
import { replyHeaders } from './reply-headers.ts'
import { defineBytesRoute, defineRoute, type Route } from './route.ts'
import type { RouteFamily } from './route-family.ts'
import { serverSentEventsResponse } from './server-sent-events.ts'
import { openTestDoor, type TestCaller } from './testing/open-test-door.ts'

const documented = {
  tag: 'Test',
  summary: 'For tests',
  replies: { 200: Type.Object({ ok: Type.Boolean() }) },
  errors: ['invalid_api_key'],
} as const

const greeting = Type.Object({ name: Type.String(), times: Type.Optional(Type.Integer()) })
const page = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
  tool: Type.Optional(Type.String()),
})

const greet = defineRoute<TestCaller, typeof greeting, undefined>({
  ...documented,
  method: 'POST',
  path: '/v1/greet',
  aliases: ['/greet'],
  body: greeting,
  maxBodyBytes: 1000,
  handle: (caller, call) => {
    call.keepOpen()
    call.note({ team: 'red' })
    return Response.json({
      hello: call.body.name,
      by: caller.name,
      from: call.remoteAddress,
      id: call.callId,
    })
  },
})

const list = defineRoute<TestCaller, undefined, typeof page>({
  ...documented,
  method: 'GET',
  path: '/items/:id',
  query: page,
  handle: (_, call) => Response.json({ params: call.params, query: call.query }),
})

const throwing = (path: string, thrown: unknown) =>
  defineRoute<TestCaller, undefined, undefined>({
    ...documented,
    method: 'GET',
    path,
    handle: () => {
      throw thrown
    },
  })

async function errorOf(
  response: Response,
): Promise<{ code: string; param: string | null; message: string; type: string }> {
  const body = JSON.parse(await response.text())
  return body.error
}

describe('routing', () => {
  const { ask, post, liftedTimeouts } = openTestDoor([greet, list])

  test('a route answers on its path and its aliases, with the call id in handler and header', async () => {
    for (const path of ['/v1/greet', '/greet']) {
      const response = await post(path, '{"name":"Ada"}')
      expect(response.status).toBe(200)
      const id = response.headers.get('x-gateway-call-id') ?? 'none'
      expect(await response.json()).toEqual({ hello: 'Ada', by: 'caller', from: '192.0.2.7', id })
    }
    expect(liftedTimeouts).toHaveLength(2)
  })

  test('path parameters are decoded; the query is coerced; unknown, repeated and empty ones are ignored', async () => {
    const response = await ask('GET', '/items/a%20b?limit=5&limit=x&tool=&other=1')
    expect(await response.json()).toEqual({ params: { id: 'a b' }, query: { limit: 5 } })
    const empty = await ask('GET', '/items/1?limit=&tool=')
    expect(await empty.json()).toEqual({ params: { id: '1' }, query: {} })
  })

  test('a wrong query parameter is named', async () => {
    for (const [query, reason] of [
      ['limit=ten', 'must be integer'],
      ['limit=0', 'must be >= 1'],
      ['limit=1.5', 'must be integer'],
    ]) {
      const response = await ask('GET', `/items/1?${query}`)
      expect(response.status).toBe(400)
      expect(await errorOf(response)).toMatchObject({
        code: 'invalid_request',
        param: 'limit',
        message: `limit ${reason}.`,
      })
    }
  })

  test('an unknown path is 404 in the common error shape, also without a credential', async () => {
    const response = await ask('GET', '/nothing?secret=1', { headers: { authorization: '' } })
    expect(response.status).toBe(404)
    expect(response.headers.get('x-gateway-call-id')).toStartWith('call-')
    expect(await response.json()).toEqual({
      error: {
        message: 'There is nothing at /nothing. https://gateway.example/docs lists all paths.',
        type: 'not_found_error',
        param: null,
        code: 'not_found',
      },
    })
  })

  test('a wrong method is 405 with the allowed methods', async () => {
    const response = await ask('DELETE', '/greet')
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST, OPTIONS')
    expect(await errorOf(response)).toMatchObject({ code: 'method_not_allowed' })
    expect((await post('/items/1', '{}')).headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect((await post('/health/live', '{}')).status).toBe(405)
  })

  test('OPTIONS lists the methods; HEAD is answered like GET, without the body', async () => {
    const options = await ask('OPTIONS', '/greet')
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, OPTIONS'])
    expect((await ask('OPTIONS', '/nothing')).status).toBe(404)
    const head = await ask('HEAD', '/items/1')
    expect(head.headers.get('x-gateway-call-id')).toStartWith('call-')
    expect([head.status, await head.text()]).toEqual([200, await (await ask('GET', '/items/1')).text()])
    expect((await ask('HEAD', '/greet')).status).toBe(405)
  })
})

describe('a family of routes', () => {
  const family: RouteFamily<TestCaller> = {
    prefix: '/kin/',
    authenticate: request => {
      if (request.headers.get('x-kin') === 'good') return { name: 'cousin' }
      throw new ApiError('invalid_api_key')
    },
    writeError: error => Response.json({ kin: error.code }, { status: error.status }),
    name: 'kin',
    securityScheme: { type: 'apiKey', in: 'header', name: 'x-kin' },
    description: 'Send your key as x-kin.',
    errorSchema: Type.Object({ kin: Type.String() }),
  }
  const speak: Route<TestCaller> = {
    ...documented,
    family,
    method: 'POST',
    path: '/kin/:who::speak',
    handle: (caller: TestCaller, call: Call) => Response.json({ by: caller.name, params: call.params }),
  }
  const { ask, door } = openTestDoor([greet, list, speak])
  const kin = { headers: { 'x-kin': 'good' } }

  test('has its own credential, and the names in its paths come without their verb', async () => {
    const response = await ask('POST', '/kin/mm-2.5:speak', kin)
    expect(await response.json()).toEqual({ by: 'cousin', params: { who: 'mm-2.5' } })
    expect((await ask('POST', '/kin/mm-2.5:speak')).status).toBe(401)
    expect((await ask('GET', '/items/1', { headers: { 'x-kin': 'good', authorization: '' } })).status).toBe(
      401,
    )
  })

  test.each([
    ['POST', '/kin/a:speak', 401, 'invalid_api_key'],
    ['POST', '/kin/a:shout', 404, 'not_found'],
    ['POST', '/kin/a:b:speak', 404, 'not_found'],
    ['POST', '/kin/a%3Aspeak', 404, 'not_found'],
    ['POST', '/%6bin/nothing', 404, 'not_found'],
    ['DELETE', '/kin/a:speak', 405, 'method_not_allowed'],
  ])('%s %s: its own errors, %i', async (method, path, status, code) => {
    const response = await ask(method, path)
    expect([response.status, await response.json()]).toEqual([status, { kin: code }])
    expect(response.headers.get('x-gateway-call-id')).not.toBeNull()
  })

  test('is described with them', () => {
    const operation = door.readOpenapi().paths['/kin/{who}:speak']?.post
    expect(operation?.security).toEqual([{ kin: [] }])
    expect(JSON.stringify(operation?.responses['401'])).toContain('#/components/schemas/kinError')
    expect(door.readOpenapi().components).toMatchObject({
      securitySchemes: { credential: { type: 'http' }, kin: { name: 'x-kin' } },
      schemas: { kinError: { type: 'object' } },
    })
  })
})

describe('pages of other origins', () => {
  const open: Route<TestCaller> = { ...greet, isCrossOrigin: true }
  const fromPage = (origin: string, headers: Record<string, string> = {}) => ({
    headers: { origin, ...headers },
  })
  const corsOf = ({ headers }: Response) =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'))
  const asksFirst = (origin: string, names = 'authorization,content-type,x-stainless-os') =>
    fromPage(origin, {
      'access-control-request-method': 'POST',
      'access-control-request-headers': names,
    })

  test('read the replies of routes that are open to them, errors too, with every header but cookies', async () => {
    const { ask, post } = openTestDoor([open, list], { callingOrigins: 'any' })
    const page = { origin: 'http://page.example' }
    const replies = [
      await post('/v1/greet', '{"name":"Ada"}', page),
      await post('/greet', '{', page),
      await post('/greet', '{}', { ...page, authorization: '' }),
      await ask('GET', '/greet', { headers: page }),
    ]
    expect(replies.map(({ status }) => status)).toEqual([200, 400, 401, 405])
    for (const reply of replies) {
      const { 'access-control-expose-headers': exposed = '', ...others } = corsOf(reply)
      expect(others).toEqual({ 'access-control-allow-origin': '*' })
      const names = Object.keys(replyHeaders).filter(name => name !== 'set-cookie')
      expect(exposed.split(', ')).toEqual(names)
    }
    for (const path of ['/items/1', '/docs'])
      expect(corsOf(await ask('GET', path, { headers: page }))).toEqual({})
    expect(corsOf(await post('/greet', '{"name":"Ada"}'))).toEqual({})
  })

  test('ask first without a credential, and may send what they name', async () => {
    const { ask, door, server } = openTestDoor([open, list], { callingOrigins: 'any' })
    const preflight = async (path: string, init: RequestInit) =>
      await door.fetch(new Request(`http://door.test${path}`, { ...init, method: 'OPTIONS' }), server)
    const reply = await preflight('/greet', asksFirst('http://page.example'))
    expect([reply.status, corsOf(reply)]).toMatchObject([
      204,
      {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'authorization,content-type,x-stainless-os',
        'access-control-max-age': '7200',
      },
    ])
    const long = await preflight('/greet', asksFirst('http://page.example', 'x'.repeat(2001)))
    expect(long.headers.has('access-control-allow-headers')).toBe(false)
    expect(corsOf(await preflight('/items/1', asksFirst('http://page.example')))).toEqual({})
    const plain = corsOf(await ask('OPTIONS', '/greet', fromPage('http://page.example')))
    expect(plain['access-control-allow-methods']).toBeUndefined()
  })

  test('read that a path does not exist or is not offered, and may ask first there', async () => {
    const absent: Route<TestCaller> = {
      ...throwing('/v1/absent', new ApiError('not_offered')),
      isCrossOrigin: true,
    }
    const { ask } = openTestDoor([open, list], { callingOrigins: 'any', absentRoutes: [absent] })
    for (const [path, code] of [
      ['/v1/greeet', 'not_found'],
      ['/v1/absent', 'not_offered'],
    ] as const) {
      const first = await ask('OPTIONS', path, asksFirst('http://page.example'))
      expect([first.status, corsOf(first)]).toMatchObject([
        204,
        {
          'access-control-allow-origin': '*',
          'access-control-allow-methods': 'POST',
          'access-control-allow-headers': 'authorization,content-type,x-stainless-os',
        },
      ])
      const reply = await ask('POST', path, fromPage('http://page.example'))
      expect(corsOf(reply)['access-control-allow-origin']).toBe('*')
      expect(await errorOf(reply)).toMatchObject({ code })
    }
    // A door without such routes answers no page.
    const { ask: askClosed } = openTestDoor([list], { callingOrigins: 'any' })
    const closed = await askClosed('OPTIONS', '/nothing', asksFirst('http://page.example'))
    expect([closed.status, corsOf(closed)]).toEqual([404, {}])
  })

  test('only of the listed origins; by default of none', async () => {
    const listed = openTestDoor([open], { callingOrigins: new Set(['http://page.example']) })
    const right = corsOf(await listed.ask('OPTIONS', '/greet', asksFirst('http://page.example')))
    expect(right).toMatchObject({ 'access-control-allow-origin': 'http://page.example', vary: 'origin' })
    for (const other of ['http://page.example:81', 'https://page.example', 'null'])
      expect(corsOf(await listed.ask('OPTIONS', '/greet', asksFirst(other)))).toEqual({})
    const closed = openTestDoor([open])
    expect(corsOf(await closed.ask('OPTIONS', '/greet', asksFirst('http://page.example')))).toEqual({})
    const { status, headers } = await closed.ask('OPTIONS', '/greet')
    expect([status, headers.get('allow')]).toEqual([204, 'POST, OPTIONS'])
  })
})

describe('authentication', () => {
  test('comes before the body: a bad credential with a bad body is 401', async () => {
    const { post, observations } = openTestDoor([greet])
    const response = await post('/greet', 'not json', { authorization: 'Bearer bad' })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await errorOf(response)).toMatchObject({ code: 'invalid_api_key', type: 'authentication_error' })
    expect(observations).toEqual([{ door: 'gateway', route: '/v1/greet', status: 401, seconds: 0 }])
  })

  test('only failures are slowed down, by address', async () => {
    const slowed: (string | null)[] = []
    const { ask } = openTestDoor([list, throwing('/refused', new ApiError('model_not_allowed'))], {
      slowFailure: async address => {
        slowed.push(address)
      },
    })
    await ask('GET', '/items/1')
    await ask('GET', '/refused')
    expect(slowed).toEqual([])
    await ask('GET', '/items/1', { headers: { authorization: 'Bearer bad' } })
    expect(slowed).toEqual(['192.0.2.7'])
  })

  // Shown to fail when only keys are slowed: the wrong code was answered at once.
  test('a wrong code waits, and a valid one is answered meanwhile', async () => {
    const wrong = Promise.withResolvers<void>()
    const routes = [list, throwing('/code', new ApiError('join_not_found'))]
    const { ask } = openTestDoor(routes, { slowFailure: () => wrong.promise })
    let isAnswered = false
    const guess = ask('GET', '/code').then(({ status }) => {
      isAnswered = true
      return status
    })
    expect([(await ask('GET', '/items/1')).status, isAnswered]).toEqual([200, false])
    wrong.resolve()
    expect(await guess).toBe(404)
  })
})

describe('errors', () => {
  const secretUrl = 'https://vendor.example/?key=AIza-secret'

  test('an unknown throwable is 500 without any of its text; the log has the cause', async () => {
    for (const thrown of [new Error(`failed at ${secretUrl}`), `failed at ${secretUrl}`, undefined, null]) {
      const { ask, lines } = openTestDoor([throwing('/boom', thrown)])
      const response = await ask('GET', '/boom')
      expect(response.status).toBe(500)
      const text = await response.text()
      expect(text).toContain('"code":"internal"')
      expect(text).not.toContain('vendor.example')
      expect(lines).toHaveLength(2)
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 50, door: 'gateway', call_id: 'call-1' })
      if (thrown instanceof Error) expect(lines[0]).toContain('vendor.example')
    }
  })

  test('an ApiError keeps its status, message, param and headers', async () => {
    const refusal = new ApiError('rpm_exceeded', {
      message: 'Slow down.',
      param: 'model',
      headers: { 'retry-after': '7' },
    })
    const { ask, lines } = openTestDoor([throwing('/limited', refusal)])
    const response = await ask('GET', '/limited')
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7'])
    expect(await errorOf(response)).toEqual({
      message: 'Slow down.',
      type: 'rate_limit_error',
      param: 'model',
      code: 'rpm_exceeded',
    })
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ status: 429, error: 'rpm_exceeded' })
  })

  test('work that a leaving client aborts is not our failure', async () => {
    const { door, server, lines } = openTestDoor([
      throwing('/gone', new DOMException('aborted', 'AbortError')),
    ])
    const request = new Request('http://door.test/gone', {
      headers: { authorization: 'Bearer good' },
      signal: AbortSignal.abort(),
    })
    expect((await door.fetch(request, server)).status).toBe(499)
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ status: 499, error: 'client_closed' })
  })
})

describe('the log line', () => {
  test('is one per request, compact, with noted fields', async () => {
    const { post, lines } = openTestDoor([greet])
    await post('/greet', '{"name":"Ada"}')
    expect(lines).toHaveLength(1)
    const { time, ...fields } = JSON.parse(lines[0] ?? '')
    expect(typeof time).toBe('number')
    expect(fields).toEqual({
      level: 30,
      door: 'gateway',
      method: 'POST',
      route: '/v1/greet',
      status: 200,
      ms: 0,
      call_id: 'call-1',
      team: 'red',
    })
  })

  test('holds no secret, no query string and no body, also when the request fails', async () => {
    const { ask, post, lines } = openTestDoor([greet, list])
    await post('/greet', '{"name":"body-secret"}', { authorization: 'Bearer sk-header-secret' })
    await post('/greet?key=query-secret', '{"name":"body-secret"}')
    await post('/greet', '{"name":"body-secret"', { 'x-api-key': 'sk-header-secret' })
    await ask('GET', '/nothing/path-secret?key=query-secret', { headers: { cookie: 'cookie-secret' } })
    expect(lines).toHaveLength(4)
    expect(lines.join('')).not.toContain('-secret')
  })

  test('of a stream is written when the stream has ended, with its whole duration', async () => {
    let now = 0
    const stream = defineRoute<TestCaller, undefined, undefined>({
      ...documented,
      method: 'GET',
      path: '/stream',
      handle: (_, call) =>
        serverSentEventsResponse(
          (async function* () {
            yield 'data: one\n\n'
            now = 2500
            call.note({ outcome: 'completed' })
            yield 'data: [DONE]\n\n'
          })(),
        ),
    })
    const { ask, lines, observations } = openTestDoor([stream], { stopwatch: () => now })
    const response = await ask('GET', '/stream')
    expect(lines).toHaveLength(0)
    expect(await response.text()).toBe('data: one\n\ndata: [DONE]\n\n')
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ route: '/stream', ms: 2500, outcome: 'completed' })
    expect(observations).toEqual([{ door: 'gateway', route: '/stream', status: 200, seconds: 2.5 }])
  })
})

describe('bodies', () => {
  test('a bytes route gets them as they were sent', async () => {
    const raw = defineBytesRoute<TestCaller>({
      ...documented,
      method: 'POST',
      path: '/raw',
      body: greeting,
      handle: (_, call) => new Response(call.body.slice()),
    })
    const { post } = openTestDoor([raw])
    expect(await (await post('/raw', '{"name": 5 }')).text()).toBe('{"name": 5 }')
  })

  test('the limit of the route holds for a declared and for a chunked body', async () => {
    const { post } = openTestDoor([greet])
    const large = JSON.stringify({ name: 'x'.repeat(1000) })
    const chunked = new ReadableStream({
      pull: controller => controller.enqueue(new TextEncoder().encode(large.slice(0, 100))),
    })
    for (const body of [large, chunked]) {
      const response = await post('/greet', body)
      expect(response.status).toBe(413)
      expect(await errorOf(response)).toMatchObject({
        code: 'payload_too_large',
        message: 'The body is larger than 1000 bytes.',
      })
    }
  })
})

describe('open pages', () => {
  test('health needs no credential and shows only its state and the name of the door', async () => {
    let reason: string | null = 'starting'
    const { ask } = openTestDoor([], { whyNotReady: () => reason })
    const anonymous = { headers: { authorization: '' } }
    expect(await (await ask('GET', '/health/live', anonymous)).json()).toEqual({
      status: 'ok',
      door: 'gateway',
    })
    const notReady = await ask('GET', '/health/ready', anonymous)
    expect([notReady.status, await notReady.json()]).toEqual([
      503,
      { status: 'unavailable', door: 'gateway', reason: 'starting' },
    ])
    reason = null
    expect((await ask('GET', '/health/ready', anonymous)).status).toBe(200)
  })

  test.each([
    ['starting', 503],
    ['draining', 503],
    ['database_unavailable', 200],
    [null, 200],
  ] as const)(
    'a proxy in front of one server holds requests back while it is %p: %p',
    async (reason, status) => {
      const { ask } = openTestDoor([], { whyNotReady: () => reason })
      expect((await ask('GET', '/health/open', { headers: { authorization: '' } })).status).toBe(status)
      expect((await ask('GET', '/health/ready', { headers: { authorization: '' } })).status).toBe(
        reason === null ? 200 : 503,
      )
    },
  )

  test('a health check has a log line only if something is wrong', async () => {
    let reason: string | null = null
    const { ask, lines } = openTestDoor([], { whyNotReady: () => reason })
    await ask('GET', '/health/ready', { headers: { authorization: '' } })
    expect(lines).toHaveLength(0)
    reason = 'starting'
    await ask('GET', '/health/ready', { headers: { authorization: '' } })
    expect(lines).toHaveLength(1)
  })

  test('the reference and its style are served under a policy without scripts', async () => {
    const { ask } = openTestDoor([greet])
    const docs = await ask('GET', '/docs')
    expect(docs.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(docs.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await docs.text()).toContain('/v1/greet')
    expect((await ask('GET', '/docs/docs.css')).headers.get('content-type')).toContain('text/css')
    expect((await ask('GET', '/openapi.json')).headers.get('content-type')).toContain('application/json')
    expect((await ask('GET', '/')).headers.get('location')).toBe('/docs')
  })

  test('more pages can be added, such as metrics', async () => {
    const metrics = createMetrics()
    const { ask } = openTestDoor([], {
      observe: metrics.observeRequest,
      openPages: { '/metrics': async () => new Response(metrics.render()) },
    })
    await ask('GET', '/health/live')
    expect(await (await ask('GET', '/metrics')).text()).toContain(
      'fairgate_requests_total{door="gateway",route="/health/live",status="200"} 1',
    )
  })
})

test('over real HTTP: a large upload is refused with 413 and a client that leaves ends the stream', async () => {
  const returned = Promise.withResolvers<boolean>()
  const stream = defineRoute<TestCaller, undefined, undefined>({
    ...documented,
    method: 'GET',
    path: '/stream',
    handle: (_, call) =>
      serverSentEventsResponse(
        (async function* () {
          yield 'data: one\n\n'
          await new Promise(resolve => call.signal.addEventListener('abort', resolve))
          yield 'data: two\n\n'
        })(),
        { onCancel: () => returned.resolve(call.signal.aborted) },
      ),
  })
  const logged = Promise.withResolvers<number>()
  const { door } = openTestDoor([greet, stream], {
    observe: ({ route, status }) => {
      if (route === '/stream') logged.resolve(status)
    },
  })
  await using server = Bun.serve({
    port: 0,
    maxRequestBodySize: 8e6,
    fetch: (request, self) => door.fetch(request, self),
  })
  const headers = { authorization: 'Bearer good', 'content-type': 'application/json' }
  const refused = await fetch(new URL('/greet', server.url), {
    method: 'POST',
    headers,
    body: 'x'.repeat(4e6),
  })
  expect(refused.status).toBe(413)
  const leaving = new AbortController()
  const response = await fetch(new URL('/stream', server.url), { headers, signal: leaving.signal })
  await response.body?.getReader().read()
  leaving.abort()
  expect(await returned.promise).toBe(true)
  expect(await logged.promise).toBe(200)
})

// Without this the runtime answers 500 with its own page.
test('over real HTTP: a file that is removed between being found and being sent is reported as not found', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'fairgate-door-')), 'video.mp4')
  const send = defineRoute<TestCaller, undefined, undefined>({
    ...documented,
    method: 'GET',
    path: '/file',
    handle: () => {
      writeFileSync(path, 'a video')
      const found = new Response(Bun.file(path).slice(0, 7), { headers: { 'content-length': '7' } })
      rmSync(dirname(path), { recursive: true })
      return found
    },
  })
  const { door, lines } = openTestDoor([send])
  await using server = Bun.serve({
    port: 0,
    fetch: (request, self) => door.fetch(request, self),
    error: cause => door.answerUnsent(cause),
  })
  const answer = await fetch(new URL('/file', server.url), { headers: { authorization: 'Bearer good' } })
  expect([answer.status, answer.headers.get('x-gateway-call-id')]).toEqual([404, 'call-2'])
  expect(await errorOf(answer)).toMatchObject({
    code: 'not_found',
    message: 'This file has just been removed.',
  })
  expect(lines.at(-1)).toContain('"call_id":"call-2"')
  expect(door.answerUnsent(new Error('another')).status).toBe(500)
  expect(lines.at(-1)).toContain('another')
})
