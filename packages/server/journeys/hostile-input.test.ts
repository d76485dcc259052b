// suite: test on sqlite; full on sqlite and postgres; 25 s
// Random requests that no one sane would send: every reply is clear, nothing hangs, nothing leaks, nothing is charged wrongly.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  codeOf,
  credentialFor,
  type DoorName,
  type DoorRoute,
  isPassThrough,
  listDoorRoutes,
  readReply,
} from './testing/door-routes.ts'
import { buildRightForm, type HostileForm, hostileForms } from './testing/hostile-forms.ts'
import { buildAddress, buildBody, type Hints } from './testing/hostile-json.ts'
import { countHostileRuns, readHostileSeed } from './testing/hostile-seed.ts'
import { makeCall } from './testing/make-call.ts'
import { createVideoClient } from './testing/make-video.ts'
import { createManagement, type Management } from './testing/management.ts'
import { orderVideo } from './testing/order-video.ts'
import { type SpawnedFairgate, spawnFairgate } from './testing/spawn-fairgate.ts'
import { adminKey, createSurroundings, type Surroundings, upstreamKey } from './testing/start-fairgate.ts'

const seed = readHostileSeed()
/** Far longer than any reply takes, so only one that never comes exceeds it. */
const longestMs = 60_000

/** Values that programs stumble over. */
const oddValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -0,
    -1,
    1.5,
    1e21,
    Number.MAX_SAFE_INTEGER + 2,
    '',
    ' ',
    '\u0000',
    '\ud800',
    'NaN',
    '💥'.repeat(300),
    [],
    {},
    [[]],
    { toString: 'x' },
  ),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue({ maxDepth: 4 }),
)
const entry = fc.record(
  {
    ts: fc.oneof(fc.constant('2026-11-21T10:00:00Z'), fc.string({ maxLength: 30 })),
    tool: fc.oneof(fc.constant('codex'), oddValue),
    event: fc.oneof(fc.constant('Stop'), oddValue),
    session_id: fc.oneof(fc.constant('s'), oddValue),
    repo: fc.constant('r'),
    branch: fc.constant('b'),
    commit: fc.constant('c'),
    student: fc.constant('s@example.org'),
    prompt: oddValue,
    tool_input: oddValue,
  },
  { requiredKeys: ['repo', 'branch', 'commit', 'student'] },
)
const ingestBody = fc
  .array(fc.oneof({ weight: 4, arbitrary: entry }, { weight: 1, arbitrary: oddValue }), { maxLength: 20 })
  .map(entries => JSON.stringify({ entries }))
const settings = (runs: number): fc.Parameters<unknown> => ({ seed, numRuns: countHostileRuns(runs) })

let place: Surroundings
let server: SpawnedFairgate
let manage: Management
let routes: DoorRoute[]
/** Routes that take multipart forms. */
let forms: DoorRoute[]
let hints: Hints
/** Must not appear in any reply or log line. */
const hidden = new Set([adminKey, upstreamKey])
/** Secrets created during the test: each may appear in one reply, and never in the log. */
const givenOut = new Set<string>()
const credentials = new Map<DoorName, string>()

beforeAll(async () => {
  console.log(`hostile input: HOSTILE_SEED=${seed}`)
  place = await createSurroundings({ logLevel: 'trace' })
  server = await spawnFairgate({ variables: place.variables })
  manage = createManagement(server.adminUrl, adminKey)
  const listed = await listDoorRoutes(server)
  routes = listed.filter(route => !route.isForm)
  forms = listed.filter(route => route.isForm)
  credentials.set('gateway', await manage.team('steady', { max_budget: 1000 }))
  credentials.set('logbook', (await manage.token('steady')).token)
  credentials.set('admin', adminKey)
  const team_id = ['victim-0', 'victim-1', 'victim-2']
  const key = await Promise.all(team_id.map(id => manage.team(id)))
  const tokens = await Promise.all(team_id.map(id => manage.token(id)))
  const doomed = await Promise.all(Array.from({ length: 10 }, () => manage.key('victim-0')))
  for (const secret of [...doomed, ...credentials.values(), ...key, ...tokens.map(({ token }) => token)])
    hidden.add(secret)
  const relayed = await orderVideo(server.gatewayUrl, credentials.get('gateway') ?? '')
  const video = await createVideoClient(server.gatewayUrl, credentials.get('gateway') ?? '').make()
  const callId = await makeCall(server.gatewayUrl, credentials.get('gateway') ?? '')
  hints = {
    team_id: [...team_id, 'steady-not', 'nobody'],
    key: [
      ...key,
      ...key.map(secret => new Bun.CryptoHasher('sha256').update(secret).digest('hex')),
      'sk-none',
    ],
    team_ids: [['nobody'], ['victim-2']],
    keys: [['sk-none'], ...doomed.map(secret => [secret])],
    token_id: [...tokens.map(token => token.token_id), 'none'],
    model: [
      'mm-2.5-flash',
      'mm-2.5-pro',
      'imgalias-2',
      'imggen-4',
      'mm-2.5-flash-preview-tts',
      'music-3-clip-preview',
      'mm-embedding-001',
      'video-3.1-lite-generate-001',
      'video-3.0-generate-001',
      'none',
    ],
    contents: [[{ parts: [{ text: 'Hello' }] }], [{ role: 'user', parts: [{ text: '💥\u0000' }] }]],
    content: [{ parts: [{ text: 'Hello' }] }],
    requests: [[{ model: 'models/mm-embedding-001', content: { parts: [{ text: 'Hello' }] } }]],
    instances: [[{ prompt: 'A cat' }]],
    messages: [[{ role: 'user', content: 'Hello' }]],
    prompt: ['A cat', 'Waves [[sandbox: videoMs=0]]'],
    input: ['Hello'],
    voice: ['Zephyr', 'default'],
    response_format: ['mp3', null],
    size: ['1024x1024', null],
    id: ['mm-2.5-flash', 'none'],
    video_id: [video.id, video.id, 'video_none'],
    after: [video.id, 'video_none'],
    call_id: [callId, callId, 'none'],
    operation: [relayed.operation, relayed.operation, 'none'],
    file: [relayed.file, relayed.file, 'none'],
    alt: ['media', 'json'],
    models: [['mm-2.5-flash'], ['mm-2.5-pro'], [], null],
    budget_duration: ['1d', '1w', '1m', '30d', '12h', null],
    duration: ['90s', '12h', '30d', '4w', null],
    max_tokens: [16, 64],
    max_completion_tokens: [16, 64],
    role: ['user'],
    ts: ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.123456+09:00'],
    lock_at: ['2099-01-01T00:00:00Z', null],
    before: ['2026-11-21T12:00:00.000042000000000007Z', '2026-11-21T10:00:00Z'],
  }
})
afterAll(async () => {
  server.kill('SIGKILL')
  await server.exited
  await place.remove()
})

type HostileRequest = {
  readonly route: DoorRoute
  readonly address: string
  readonly body: Uint8Array<ArrayBuffer> | null
}
const requestFor = (route: DoorRoute): fc.Arbitrary<HostileRequest> =>
  fc.record({
    route: fc.constant(route),
    address: buildAddress(route.path, route.parameters, hints),
    body: route.body === null ? fc.constant(null) : buildBody(route.body, hints),
  })

let asked = 0

async function ask({ route, address, body }: HostileRequest) {
  asked += 1
  const response = await fetch(`${server[`${route.door}Url`]}${address}`, {
    method: route.method,
    headers: {
      ...credentialFor(route, credentials.get(route.door) ?? ''),
      'content-type': 'application/json',
    },
    signal: AbortSignal.timeout(longestMs),
    ...(body === null ? {} : { body }),
  })
  return { status: response.status, headers: response.headers, text: await readReply(response) }
}

type HostileReply = Awaited<ReturnType<typeof ask>>

/** Checks a reply: as its document says, without an internal error, a secret, or parts of our code. */
function judgeRouted({ route }: HostileRequest, { status, headers, text }: HostileReply): void {
  expect([...hidden].filter(secret => text.includes(secret))).toEqual([])
  expect(text).not.toMatch(/\bat .+\.[cm]?[jt]s:\d+/)
  expect(headers.get('x-gateway-call-id')).not.toBeNull()
  expect(headers.get('x-injected')).toBeNull()
  if (status < 400) {
    expect(route.successes).toContain(status)
    collectGivenOut(text)
    return
  }
  const body = JSON.parse(text) as { error: Record<string, unknown> }
  // A body in Anthropic's format also has an id and a type.
  const isOfMessages = 'request_id' in body
  expect(Object.keys(body)).toEqual(isOfMessages ? ['type', 'error', 'request_id'] : ['error'])
  // A segment such as `..` can make it a path outside the family.
  const isVendor = isPassThrough(route) && 'status' in body.error
  if (isVendor) expectVendorShape(status, body.error)
  else expectOwnShape(body.error)
  const code = codeOf(text)
  // The upstream's own message: only about the request.
  if (isVendor && code === null) {
    expect(status).toBe(400)
    return
  }
  if (status >= 500) {
    expect([502, 503, 504]).toContain(status)
    expect(code).toStartWith('upstream_')
  }
  // A segment such as `..` makes it another path.
  const isElsewhere = /^(not_found|method_not_allowed)$/.test(String(code)) && route.path.includes('{')
  if (!isElsewhere) expect(route.codes).toContain(String(code))
}

function expectOwnShape(error: Readonly<Record<string, unknown>>): void {
  expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type'])
  const { code, message, type, param } = error
  expect([typeof code, typeof message, typeof type]).toEqual(['string', 'string', 'string'])
  expect(param === null || typeof param === 'string').toBe(true)
}

function expectVendorShape(status: number, error: Readonly<Record<string, unknown>>): void {
  expect(error).toMatchObject({ code: status, message: expect.any(String), status: expect.any(String) })
  expect(Object.keys(error).filter(name => !['code', 'message', 'status', 'details'].includes(name))).toEqual(
    [],
  )
}

function collectGivenOut(text: string): void {
  for (const [secret] of text.matchAll(/\b(?:sk-|aitc_)[\w-]{20,}/g)) givenOut.add(secret)
}

async function expectBooksToAgree(teamId: string): Promise<void> {
  const { team_info } = await manage.teamInfo(teamId)
  expect(team_info.held).toBe(0)
  // Includes refunds and corrections that organisers may have made meanwhile.
  const proof = await manage.call('GET', `/spend/verify?team_id=${teamId}`)
  expect(await proof.json()).toMatchObject({ ok: true, wrong: [] })
}

// Runs before an organiser's request below may end the event.
test('spec 4.2: every entry that is neither rejected nor a duplicate is stored, and the chain verifies', async () => {
  hidden.add(await manage.team('entries'))
  const { token } = await manage.token('entries')
  hidden.add(token)
  let stored = 0
  const property = fc.asyncProperty(ingestBody, async text => {
    const reply = await fetch(`${server.logbookUrl}/api/ingest`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(longestMs),
      body: text,
    })
    expect(reply.status).toBe(202)
    const counts = (await reply.json()) as Record<'received' | 'stored' | 'duplicates', number> & {
      readonly rejected: readonly unknown[]
    }
    expect(counts.stored + counts.duplicates + counts.rejected.length).toBe(counts.received)
    stored += counts.stored
  })
  await fc.assert(property, settings(120))
  expect(await manage.verifyLog('entries')).toMatchObject({ ok: true, entries: stored })
}, 300_000)

test('every listed route answers requests generated from its schemas as its document says', async () => {
  // Chance alone may produce no secret that the log must hide.
  const body = new TextEncoder().encode(JSON.stringify({ team_id: 'victim-0' }))
  for (const address of ['/key/generate', '/log_token/generate']) {
    const [route] = routes.filter(({ path }) => path === address)
    if (route === undefined) throw new Error(`${address} has another name now.`)
    for (let count = 0; count < 2; count += 1)
      judgeRouted({ route, address, body }, await ask({ route, address, body }))
  }
  const passed = new Set<DoorRoute>()
  const play = async (route: DoorRoute, round: number) => {
    const property = fc.asyncProperty(requestFor(route), async request => {
      const reply = await ask(request)
      judgeRouted(request, reply)
      if (reply.status < 400) passed.add(route)
    })
    await fc.assert(property, { seed: seed + round, numRuns: countHostileRuns(8) })
  }
  for (const route of routes) await play(route, 0)
  // The requests are near enough to right that half of the routes let some of them pass: many need an id that only another reply has,
  // which chance does not find.
  for (let round = 1; passed.size <= routes.length / 2; round += 1)
    for (const route of routes) if (!passed.has(route)) await play(route, round)
  expect(Object.keys({}.constructor.prototype)).toEqual([])
  await expectBooksToAgree('steady')
  expect(await manage.verifyLog('steady')).toMatchObject({ ok: true })
}, 300_000)

test('all kinds of forms are answered as the document says', async () => {
  // An organiser may have closed the gateway above, set a cap, and changed the limits of all teams.
  await manage.change('PUT', '/event', { cap_nano: null })
  await manage.change('PUT', '/event/phases', { phases: [] })
  for (const action of ['resume', 'reopen']) await manage.change('POST', `/event/${action}`)
  const key = await manage.team('forms')
  hidden.add(key)
  const seen = new Set<number>()
  const sendForm = async (route: DoorRoute, { type, bytes }: HostileForm): Promise<void> => {
    const response = await fetch(`${server.gatewayUrl}${route.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': type },
      body: bytes,
      signal: AbortSignal.timeout(longestMs),
    })
    seen.add(response.status)
    const reply = { status: response.status, headers: response.headers, text: await response.text() }
    judgeRouted({ route, address: route.path, body: bytes }, reply)
  }
  // Chance alone rarely makes a valid form.
  for (const route of forms) await sendForm(route, await buildRightForm(route.path))
  const property = fc.asyncProperty(fc.constantFrom(...forms), hostileForms, async (route, build) =>
    sendForm(route, await build()),
  )
  await fc.assert(property, settings(250))
  expect([...seen]).toEqual(expect.arrayContaining([200, 400]))
  expect(Object.keys({}.constructor.prototype)).toEqual([])
  await expectBooksToAgree('steady')
}, 300_000)

test('calls under any accepted limits are answered, and the books agree', async () => {
  const key = await manage.team('limited', {})
  hidden.add(key)
  const [update] = routes.filter(({ path }) => path === '/team/update')
  const [chat] = routes.filter(({ path }) => path === '/v1/chat/completions')
  if (update?.body == null || chat === undefined) throw new Error('The routes have other names now.')
  const bodies = buildBody(update.body, { ...hints, team_id: ['limited'] })
  const call = new TextEncoder().encode(
    JSON.stringify({ model: 'mm-2.5-flash', max_tokens: 8, messages: [{ role: 'user', content: 'Hi' }] }),
  )
  let accepted = 0
  const property = fc.asyncProperty(bodies, async body => {
    const changed = { route: update, address: update.path, body }
    const reply = await ask(changed)
    judgeRouted(changed, reply)
    if (reply.status !== 200) return
    accepted += 1
    await manage.post('/team/unblock', { team_id: 'limited' })
    const response = await fetch(`${server.gatewayUrl}${chat.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: call,
      signal: AbortSignal.timeout(longestMs),
    })
    const answer = { status: response.status, headers: response.headers, text: await response.text() }
    judgeRouted({ route: chat, address: chat.path, body: call }, answer)
    expect([200, 403, 404, 429]).toContain(answer.status)
    const read = await fetch(`${server.gatewayUrl}/team/info?team_id=limited`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(read.status).toBe(200)
    expect(await read.json()).toMatchObject({ team_info: { team_id: 'limited' } })
  })
  for (let round = 0; accepted <= 10; round += 1)
    await fc.assert(property, { seed: seed + round, numRuns: countHostileRuns(150) })
  await manage.post('/team/update', { team_id: 'limited', budget_duration: null })
  expect((await manage.teamInfo('limited')).team_info.held).toBe(0)
}, 300_000)

test('the server is healthy, and its log has only whole lines and no secret, stack or internal error', async () => {
  for (const url of [server.gatewayUrl, server.logbookUrl, server.adminUrl]) {
    expect((await fetch(`${url}/health/ready`)).status).toBe(200)
  }
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  const output = server.output()
  const lines = output.split('\n').filter(line => line.startsWith('{'))
  expect(lines.length).toBeGreaterThanOrEqual(asked)
  for (const line of lines) expect(typeof JSON.parse(line)).toBe('object')
  expect(givenOut.size).toBeGreaterThan(2)
  expect([...hidden, ...givenOut].filter(secret => output.includes(secret))).toEqual([])
  const traces = lines.filter(line => /\bat .+\.[cm]?[jt]s:\d+/.test(line))
  expect(traces).toEqual([])
  expect(output).not.toContain('"internal"')
}, 300_000)
