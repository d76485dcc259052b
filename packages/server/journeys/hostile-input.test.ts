// Requests that nobody sane would send, made up at random: every reply is a clear one, nothing hangs, nothing leaks, nothing is charged wrongly.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { adminKey, type Fairgate, startFairgate, upstreamKey } from './testing/start-fairgate.ts'
import { readCharges, sumCost } from './testing/stored-rows.ts'

const seed = Number(process.env.HOSTILE_SEED ?? Math.floor(Math.random() * 2 ** 31))
const longestMs = 10_000

let fairgate: Fairgate
let key: string
let token: string
beforeAll(async () => {
  console.log(`hostile input: HOSTILE_SEED=${seed}`)
  fairgate = await startFairgate()
  key = await fairgate.manage.team('hostile', { max_budget: 1000 })
  token = (await fairgate.manage.token('hostile')).token
})
afterAll(() => fairgate.stop())

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
const pollution = fc.constantFrom('__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toJSON', '')

/** An object in which some members are right and some are anything. */
const mutated = (members: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc
    .tuple(
      fc.record(
        Object.fromEntries(
          Object.entries(members).map(([name, right]) => [
            name,
            fc.oneof({ weight: 4, arbitrary: right }, { weight: 1, arbitrary: oddValue }),
          ]),
        ),
        { requiredKeys: [] },
      ),
      fc.dictionary(fc.oneof(pollution, fc.string({ maxLength: 20 })), oddValue, { maxKeys: 3 }),
    )
    .map(([known, unknown]) => JSON.stringify({ ...unknown, ...known }))

const message = fc.record({
  role: fc.constantFrom('user', 'system', 'assistant', 'developer'),
  content: fc.oneof(fc.string({ unit: 'binary', maxLength: 100 }), oddValue),
})
const chatBody = mutated({
  model: fc.constantFrom('mm-2.5-flash', 'mm-2.5-pro', 'none'),
  messages: fc.array(message, { maxLength: 4 }),
  max_tokens: fc.integer({ min: 1, max: 64 }),
  n: fc.integer({ min: 1, max: 3 }),
  stream: fc.boolean(),
  stop: fc.array(fc.string(), { maxLength: 6 }),
  temperature: fc.double({ min: 0, max: 2, noNaN: true }),
  reasoning_effort: fc.constantFrom('none', 'low', 'high'),
  stream_options: fc.record({ include_usage: fc.boolean() }),
})
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
const managementBody = mutated({
  team_id: fc.constantFrom('hostile', 'team-x', 'nobody'),
  key: fc.constantFrom('sk-none', 'f'.repeat(64)),
  keys: fc.array(fc.string()),
  token_id: fc.string(),
  max_budget: fc.double({ min: 0, max: 10, noNaN: true }),
  budget_duration: fc.constantFrom('1d', '12h', '0d', 'x'),
  rpm_limit: fc.integer(),
  models: fc.array(fc.constantFrom('mm-2.5-flash', 'none')),
  metadata: fc.dictionary(fc.string(), oddValue),
  lock_at: fc.string(),
})
const query = fc
  .array(fc.tuple(fc.constantFrom('limit', 'before', 'tool', 'event', 'team_id', 'page', 'x'), fc.string()), {
    maxLength: 4,
  })
  .map(pairs => new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString())

async function send(url: string, secret: string, body: string | null) {
  const response = await fetch(url, {
    method: body === null ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(longestMs),
    ...(body === null ? {} : { body }),
  })
  return { status: response.status, text: await response.text() }
}

/** Every reply of every door: no fault of ours, the shape of errors, and no secret but the caller's own new one. */
function judge({ status, text }: { status: number; text: string }): void {
  expect(status).not.toBe(500)
  for (const secret of [adminKey, upstreamKey]) expect(text).not.toContain(secret)
  expect(text).not.toMatch(/\bat .+\.ts:\d+/)
  if (status < 400) return
  const { error } = JSON.parse(text) as { error: Record<string, unknown> }
  expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type'])
}

const settings = (numRuns: number): fc.Parameters<unknown> => ({
  seed,
  numRuns,
  interruptAfterTimeLimit: 30_000,
})

test('chat', async () => {
  const property = fc.asyncProperty(chatBody, async body => {
    judge(await send(`${fairgate.gatewayUrl}/v1/chat/completions`, key, body))
  })
  await fc.assert(property, settings(600))
  const { team_info } = await fairgate.manage.teamInfo('hostile')
  expect(team_info.held).toBe(0)
  const charged = sumCost(await readCharges(fairgate.place, 'hostile'))
  expect(Math.round(team_info.spend * 1e9)).toBe(charged)
}, 60_000)

test('entries: all that is neither rejected nor a duplicate is there, and the chain verifies', async () => {
  let stored = 0
  const property = fc.asyncProperty(ingestBody, async body => {
    const reply = await send(`${fairgate.logbookUrl}/api/ingest`, token, body)
    judge(reply)
    expect(reply.status).toBe(202)
    const counts = JSON.parse(reply.text) as {
      received: number
      stored: number
      duplicates: number
      rejected: []
    }
    expect(counts.stored + counts.duplicates + counts.rejected.length).toBe(counts.received)
    stored += counts.stored
  })
  await fc.assert(property, settings(300))
  expect(await fairgate.manage.verifyLog('hostile')).toMatchObject({ ok: true, entries: stored })
}, 60_000)

test('questions', async () => {
  const urls = () => [
    [`${fairgate.logbookUrl}/api/ingest/entries`, token],
    [`${fairgate.gatewayUrl}/team/info`, key],
    [`${fairgate.adminUrl}/audit`, adminKey],
    [`${fairgate.adminUrl}/key/list`, adminKey],
  ]
  const property = fc.asyncProperty(query, async question => {
    for (const [url = '', secret = ''] of urls()) judge(await send(`${url}?${question}`, secret, null))
  })
  await fc.assert(property, settings(150))
}, 60_000)

test('management', async () => {
  const document = (await (await fetch(`${fairgate.adminUrl}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>
  }
  const paths = Object.keys(document.paths).filter(path => 'post' in (document.paths[path] ?? {}))
  const property = fc.asyncProperty(fc.constantFrom(...paths), managementBody, async (path, body) => {
    judge(await send(`${fairgate.adminUrl}${path}`, adminKey, body))
  })
  await fc.assert(property, settings(400))
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  for (const url of [fairgate.gatewayUrl, fairgate.logbookUrl, fairgate.adminUrl]) {
    expect((await fetch(`${url}/health/ready`)).status).toBe(200)
  }
}, 60_000)
