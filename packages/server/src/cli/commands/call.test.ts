// `fairgate call …`: pages, filters, and the output of a line and of a full record.
import { expect, test } from 'bun:test'
import type { OrganiserCallItem } from '@fairgate/contracts/calls/call.ts'
import { runCli } from '../testing/run-cli.ts'

const callId = '019e2f6a-4c1b-7d3e-8f00-000000000001'

function buildCall(changes: Partial<OrganiserCallItem> = {}): OrganiserCallItem {
  return {
    call_id: callId,
    team_id: 'team-01',
    key: 'ab'.repeat(32),
    key_name: 'sk-...1234',
    key_alias: 'laptop',
    endpoint: 'chat',
    model_asked: 'fast',
    model_served: 'mm-2.5-flash',
    outcome: 'completed',
    code: null,
    status: null,
    refusal: null,
    explanation: null,
    units: { inputText: 100, cachedInput: 0, outputText: 16 },
    input_tokens: 100,
    output_tokens: 16,
    cost_nano: 40_600,
    cost: 0.0000406,
    corrections: [],
    left_nano: 40_600,
    flag: null,
    received_at: '2026-11-21T09:00:00.123Z',
    ended_at: '2026-11-21T09:00:01.123Z',
    duration_ms: 1000,
    first_byte_ms: null,
    session: { id: 's-1', source: 'session-id', parent: null },
    tool: 'codex',
    user_agent: 'codex_cli_rs/0.80',
    client_address: '192.0.2.7',
    count: 1,
    last_at: '2026-11-21T09:00:00.123Z',
    upstream: 'vendor',
    upstream_key: 'k1',
    has_digests: true,
    salt: 'c2FsdA==',
    commitment: 'Y29tbWl0',
    is_sealed: true,
    ...changes,
  }
}

const refused: Partial<OrganiserCallItem> = {
  outcome: 'refused',
  code: 'rpm_exceeded',
  status: 429,
  model_asked: 'a-model-with-a-name-that-is-far-too-long',
  model_served: null,
  units: {},
  input_tokens: 0,
  output_tokens: 0,
  cost_nano: 0,
  cost: 0,
  upstream: null,
  upstream_key: null,
  refusal: { level: 'team', limit: '60', used: '60', held: '0', reset: '2026-11-21T09:00:30.000Z' },
  explanation: 'Rate limit exceeded for the team. Make fewer calls per minute.',
  count: 120,
  last_at: '2026-11-21T09:00:20.000Z',
}

test('list shows what each call was, and where the next list begins', async () => {
  const reply = { items: [buildCall(refused), buildCall()], next_before: callId }
  const { stdout, requests, exitCode } = await runCli(['call', 'list', 'team-01', '--limit', '2'], [reply])
  expect(exitCode).toBe(0)
  expect(requests[0]?.address).toBe('http://127.0.0.1:4002/calls?team_id=team-01&limit=2')
  const lines = stdout.split('\n')
  expect(lines[1]).toMatch(
    /^2026-11-21T09:00:00Z +team-01 +a-model-with-a-name-tha… +rpm_exceeded ×120 +- +- +codex +019e/,
  )
  expect(lines[2]).toMatch(/ mm-2\.5-flash +completed +100\+16 +0\.0000406 +codex +019e/)
  expect(stdout).toEndWith(`Older ones: --before ${callId}\n`)
})

test('every filter is sent to the door', async () => {
  const given =
    '--team red --key laptop --endpoint responses --model fast --tool codex --session s-1 --outcome refused --code rpm_exceeded --from 2026-11-21T18:00:00+09:00 --until 2026-11-21T19:00Z --before x'
  const { stdout, requests } = await runCli(
    ['call', 'list', ...given.split(' ')],
    [{ items: [], next_before: null }],
  )
  expect(stdout).toBe('No calls.\n')
  expect(Object.fromEntries(new URL(requests[0]?.address ?? '').searchParams)).toEqual({
    team_id: 'red',
    key: 'laptop',
    endpoint: 'responses',
    model: 'fast',
    tool: 'codex',
    session_id: 's-1',
    outcome: 'refused',
    code: 'rpm_exceeded',
    from: '2026-11-21T18:00:00+09:00',
    until: '2026-11-21T19:00Z',
    before: 'x',
    limit: '50',
  })
})

test('a list reads past short and empty pages, and --json prints all as one', async () => {
  const pages = [
    { items: Array.from({ length: 200 }, () => buildCall()), next_before: 'a' },
    { items: [], next_before: 'b' },
    { items: [buildCall()], next_before: null },
  ]
  const { stdout, requests } = await runCli(['call', 'list', '--limit', '250', '--json'], pages)
  expect(requests.map(({ address }) => address.split('?')[1])).toEqual([
    'limit=200',
    'limit=50&before=a',
    'limit=50&before=b',
  ])
  const reply = JSON.parse(stdout)
  expect(reply.items).toHaveLength(201)
  expect([reply.next, reply.next_before]).toEqual([null, undefined])
})

test('show prints the full record', async () => {
  const { stdout, requests } = await runCli(['call', 'show', callId], [buildCall()])
  expect(requests[0]?.address).toBe(`http://127.0.0.1:4002/calls/${callId}`)
  expect(stdout).toMatch(/^key +sk-\.\.\.1234 \(laptop\)$/m)
  expect(stdout).toMatch(/^model +mm-2\.5-flash, asked for as fast$/m)
  expect(stdout).toMatch(/^units +inputText 100, outputText 16$/m)
  expect(stdout).toMatch(/^cost +0\.0000406 USD$/m)
  expect(stdout).toMatch(/^upstream +vendor, key k1$/m)
  expect(stdout).toMatch(/^session +s-1 \(from session-id\)$/m)
  expect(stdout).toMatch(/^seal +holds$/m)
  expect(JSON.parse((await runCli(['call', 'show', 'x', '--json'], [buildCall()])).stdout)).toEqual(
    buildCall(),
  )
})

test('show explains a refusal', async () => {
  const { stdout } = await runCli(['call', 'show', callId], [buildCall({ ...refused, key_name: null })])
  expect(stdout).toMatch(/^key +(ab){32} \(deleted\)$/m)
  expect(stdout).toMatch(/^outcome +refused, rpm_exceeded, 429$/m)
  expect(stdout).toMatch(/^limit +team: 60 of 60 used, 0 held, reset 2026-11-21T09:00:30\.000Z$/m)
  expect(stdout).toMatch(/^stands for +120 calls, the last at 2026-11-21T09:00:20\.000Z$/m)
  expect(stdout).toEndWith('\n\nRate limit exceeded for the team. Make fewer calls per minute.\n')
})

test('a changed record is reported', async () => {
  const { stdout } = await runCli(['call', 'show', callId], [buildCall({ is_sealed: false })])
  expect(stdout).toMatch(/^seal +BROKEN/m)
})

test.each([
  ['--outcome', 'lost', 'Allowed choices are completed, client_closed'],
  ['--endpoint', 'chats', 'Allowed choices are chat, responses'],
  ['--limit', '0', "option '--limit <n>'"],
])('%s %s is refused without a request', async (option, value, says) => {
  const { exitCode, stderr, requests } = await runCli(['call', 'list', option, value])
  expect(exitCode).toBe(2)
  expect(stderr).toContain(says)
  expect(requests).toEqual([])
})

test('show has the corrections of the charge', async () => {
  const corrections = [
    {
      ...({ adjustment_id: 'fix-1', kind: 'refund', amount_nano: -600, amount: -0.0000006 } as const),
      ...{ at: '2026-11-21T10:00:00.000Z', reason: 'the upstream was down' },
    },
  ]
  const { stdout } = await runCli(['call', 'show', callId], [buildCall({ corrections, left_nano: 40_000 })])
  expect(stdout).toMatch(/^refunded +-0\.0000006 USD at 2026-11-21T10:00:00\.000Z: the upstream was down$/m)
  expect(stdout).toMatch(/^left of the cost +0\.00004 USD$/m)
})
