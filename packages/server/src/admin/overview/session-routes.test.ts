// One conversation as a person reads it: its figures, its entries and calls in one order over pages in both directions, and single entries.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import {
  maxItemBytes,
  type SessionItemsReply,
  type SessionView,
  sessionItemsReplySchema,
  sessionViewSchema,
  storedEntrySchema,
} from '@fairgate/contracts/console/session-view.ts'
import { Value } from 'typebox/value'
import { packTestEntries } from '../../store/testing/build-entry-to-append.ts'
import { buildCallFacts, buildCallRecord, buildCharge } from '../../store/testing/build-ledger-rows.ts'
import { charge } from '../../store/testing/suite/store-actions.ts'
import { openAdminDoor } from '../testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
let tokenId: string
beforeEach(async () => {
  door = await openAdminDoor()
  await door.post('/team/new', { team_id: 'red' })
  const { body: member } = await door.post('/people', { team_id: 'red', name: 'Haeun' })
  const { member_id } = member as { member_id: string }
  const { body: token } = await door.post('/log_token/generate', { team_id: 'red', member_id })
  tokenId = (token as { token_id: string }).token_id
  door.time.now = at('13:00:00')
})
afterEach(() => door.close())

const at = (time: string) => Date.parse(`2026-11-21T${time}Z`)

async function log(
  entries: readonly Readonly<Record<string, unknown> & { time: string }>[],
  receivedAt = '12:59:00',
) {
  const packed = entries.map(({ time, ...members }) => {
    const body = JSON.stringify({
      branch: 'main',
      event: 'UserPromptSubmit',
      repo: 'red/scheduler',
      session_id: 's 1/ü',
      student: 'haeun@example.org',
      tool: 'codex',
      ts: time,
      ...members,
    })
    const bodyHash = createHash('sha256').update(body).digest('hex')
    const bodyBytes = Buffer.byteLength(body)
    return {
      identity: bodyHash,
      body,
      bodyBytes,
      bodyHash,
      tsMicros: at(time) * 1000 + 7,
      toolKey: 'codex',
      eventKey: 'Stop',
    }
  })
  await door.store.write.appendEntries({
    now: at(receivedAt),
    requests: [
      {
        teamId: 'red',
        sender: { tokenId, clientAddress: '192.0.2.7' },
        entries: packTestEntries(packed),
      },
    ],
  })
}

let numbers = 0
function idAt(unixMs: number): string {
  numbers += 1
  const hex = unixMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${numbers.toString(16).padStart(12, '0')}`
}

const client = (sessionId: string) => ({
  ...buildCallFacts().client,
  sessionId,
  sessionSource: 'body',
  tool: 'codex',
})

async function call(time: string, cost: number, sessionId = 's 1/ü'): Promise<void> {
  const admittedAt = at(time)
  const facts = buildCallFacts({ client: client(sessionId) })
  const times = { admittedAt, settledAt: admittedAt + 500 }
  await charge(door.store, buildCharge(idAt(admittedAt), { teamId: 'red', ...times, cost, facts }))
}

async function refuse(time: string, sessionId = 's 1/ü'): Promise<void> {
  const receivedAt = at(time)
  const refused = { teamId: 'red', outcome: 'refused', code: 'rpm_exceeded', modelServed: null } as const
  await door.store.write.recordCalls({
    calls: [buildCallRecord(idAt(receivedAt), { ...refused, receivedAt, client: client(sessionId) })],
  })
}

const path = `/sessions/red/${encodeURIComponent('s 1/ü')}`

async function view(query = ''): Promise<SessionView> {
  const { status, body } = await door.get(`${path}${query}`)
  expect({ status, body }).toMatchObject({ status: 200 })
  return Value.Parse(sessionViewSchema, body)
}

async function items(query = '', where = path): Promise<SessionItemsReply> {
  const { status, body } = await door.get(`${where}/items${query}`)
  expect({ status, body }).toMatchObject({ status: 200 })
  return Value.Parse(sessionItemsReplySchema, body)
}

const show = ({ items: shown }: Pick<SessionItemsReply, 'items'>) =>
  shown.map(({ kind, at: time }) => `${kind} ${time.slice(11, 19)}`)

async function fill(): Promise<void> {
  await log([
    { time: '12:00:00', prompt: 'begin' },
    { time: '12:00:30', prompt: null },
    { time: '12:20:00', prompt: 'go on' },
  ])
  await log([{ time: '12:10:00', prompt: 'written offline' }])
  await log([{ time: '12:05:00', session_id: 'another' }])
  await call('12:00:10', 300)
  await call('12:20:05', 100)
  await call('12:30:00', 9, 'another')
  await refuse('12:20:02')
  await refuse('12:20:03', 'another')
}

const all = [
  'entry 12:00:00',
  'call 12:00:10',
  'entry 12:00:30',
  'entry 12:10:00',
  'entry 12:20:00',
  'refusal 12:20:02',
  'call 12:20:05',
]

test('its figures: machines, people, duration, cost and late entries', async () => {
  await fill()
  expect(await view()).toMatchObject({
    team_id: 'red',
    session_id: 's 1/ü',
    tool: 'codex',
    students: ['haeun@example.org'],
    members: [{ name: 'Haeun' }],
    repo: 'red/scheduler',
    branch: 'main',
    first_at: '2026-11-21T12:00:00.000Z',
    last_at: '2026-11-21T12:20:05.500Z',
    prompts: 3,
    entries: 4,
    late: 4,
    calls: 2,
    cost_nano: 400,
    coverage: 1,
    classes: { session: { calls: 2, cost_nano: 400 } },
    gaps: [
      { from: '2026-11-21T12:00:30.000Z', until: '2026-11-21T12:10:00.000Z', ms: 570_000 },
      { from: '2026-11-21T12:10:00.000Z', until: '2026-11-21T12:20:00.000Z', ms: 600_000 },
    ],
    active_ms: 30_000 + 5500,
  })
})

test('a session that appears only in calls has no entries and no coverage', async () => {
  await call('12:00:10', 300, 'quiet')
  const { body } = await door.get('/sessions/red/quiet')
  expect(body).toMatchObject({ entries: 0, calls: 1, cost_nano: 300, coverage: 0, students: [], repo: null })
  expect(show(await items('', '/sessions/red/quiet'))).toEqual(['call 12:00:10'])
})

describe('items', () => {
  test('are sorted by time, refused calls among them', async () => {
    await fill()
    const whole = await items()
    expect(show(whole)).toEqual(all)
    expect(whole).toMatchObject({ previous: null, next: null })
    expect(whole.items[3]).toMatchObject({
      ref: 'red#4',
      entry: {
        seq: 4,
        ts: '2026-11-21T12:10:00.000007Z',
        received_at: '2026-11-21T12:59:00.000000Z',
        is_late: true,
        event: 'UserPromptSubmit',
        entry: { prompt: 'written offline' },
        more: false,
      },
      call: null,
    })
    expect(whole.items[1]).toMatchObject({
      entry: null,
      call: { cost_nano: 300, outcome: 'completed', class: 'session', by: 'id' },
    })
    expect(whole.items[5]?.call).toMatchObject({ outcome: 'refused', class: null, code: 'rpm_exceeded' })
  })

  test('pages of any length, in both directions, skip none and repeat none', async () => {
    await fill()
    for (let limit = 1; limit <= all.length + 1; limit += 1) {
      const later: string[] = []
      for (let query: string | null = ''; query !== null; ) {
        const page: SessionItemsReply = await items(`?limit=${limit}${query}`)
        later.push(...show(page))
        query = page.next === null ? null : `&after=${page.next}`
      }
      const earlier: string[] = []
      for (let query: string | null = '&from_end=true'; query !== null; ) {
        const page: SessionItemsReply = await items(`?limit=${limit}${query}`)
        earlier.unshift(...show(page))
        query = page.previous === null ? null : `&before=${page.previous}`
      }
      expect({ limit, later, earlier }).toEqual({ limit, later: all, earlier: all })
    }
  })

  test('around an entry, with links in both directions', async () => {
    await fill()
    const page = await items('?around=4&limit=3')
    expect(show(page)).toEqual(all.slice(2, 5))
    expect(show(await items(`?after=${page.next}`))).toEqual(all.slice(5))
    expect(show(await items(`?before=${page.previous}`))).toEqual(all.slice(0, 2))
    expect(show(await items('?around=1&limit=1'))).toEqual(all.slice(0, 1))
    expect(await door.get(`${path}/items?around=5`)).toMatchObject({
      status: 404,
      body: { error: { code: 'entry_not_found' } },
    })
  })

  test('a reader past the last position gets what is new', async () => {
    await fill()
    const { last } = await items()
    expect(show(await items(`?after=${last}`))).toEqual([])
    await log([{ time: '12:40:00' }])
    expect(show(await items(`?after=${last}`))).toEqual(['entry 12:40:00'])
  })

  test('a large entry is truncated, and hostile text stays text', async () => {
    const hostile = '<script>alert(1)</script>\u202e\u001b[31m=1+1\u0000'
    await log([
      { time: '12:00:00', prompt: hostile },
      { time: '12:00:01', tool_input: { text: 'x'.repeat(10_000), list: Array(500).fill('한'.repeat(20)) } },
      {
        time: '12:00:02',
        ...Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`m${n}`, 'y'.repeat(40)])),
      },
    ])
    const page = await items()
    expect(page.items[0]?.entry).toMatchObject({ entry: { prompt: hostile }, more: false })
    for (const item of page.items.slice(1)) {
      expect(item.entry?.more).toBe(true)
      expect(Buffer.byteLength(JSON.stringify(item.entry?.entry))).toBeLessThanOrEqual(maxItemBytes)
      expect(item.entry?.entry).toMatchObject({ session_id: 's 1/ü', tool: 'codex' })
    }
  })
})

test('one entry: the stored text, its link, and who sent it', async () => {
  await fill()
  const { text } = await door.download('/entries/red/2')
  const { text: before } = await door.download('/entries/red/1')
  const entry = Value.Parse(storedEntrySchema, JSON.parse(text))
  const stored = text.slice(text.indexOf('"entry":') + 8, -1)
  expect(entry).toMatchObject({
    seq: 2,
    body_sha256: createHash('sha256').update(stored).digest('hex'),
    body_bytes: Buffer.byteLength(stored),
    previous_chain: JSON.parse(before).chain,
    token: { token_id: tokenId, member: 'Haeun' },
    client_address: '192.0.2.7',
  })
  expect(JSON.parse(before).previous_chain).toBe('0'.repeat(64))
  expect(entry.commitment).toBe(
    createHash('sha256')
      .update(Buffer.from(entry.salt ?? '', 'base64'))
      .update(Buffer.from(entry.id, 'hex'))
      .update(Buffer.from(entry.body_sha256, 'hex'))
      .digest('base64'),
  )
})

test('unknown ids and invalid queries are refused', async () => {
  await fill()
  await log([{ time: '12:00:00', tool: 'claude-code', session_id: 'twice' }])
  await log([{ time: '12:00:00', tool: 'something', session_id: 'twice' }])
  expect((await door.get('/sessions/red/twice?tool=claude')).status).toBe(200)
  expect((await door.get('/sessions/red/twice?tool=other')).status).toBe(200)
  for (const [asked, code] of [
    ['/sessions/nobody/x', 'team_not_found'],
    ['/sessions/red/x', 'session_not_found'],
    ['/sessions/red/x/items', 'session_not_found'],
    ['/sessions/red/another?tool=gemini', 'session_not_found'],
    ['/sessions/red/twice', 'invalid_request'],
    [`${path}?team_id=red`, 'invalid_request'],
    [`${path}/items?after=x`, 'invalid_request'],
    [`${path}/items?before=WzEsMS41XQ`, 'invalid_request'],
    [`${path}/items?around=0`, 'invalid_request'],
    [`${path}/items?limit=501`, 'invalid_request'],
    [`${path}/items?around=1&from_end=true`, 'invalid_request'],
    ['/entries/nobody/1', 'team_not_found'],
    ['/entries/red/9', 'entry_not_found'],
    ['/entries/red/0', 'entry_not_found'],
    ['/entries/red/1.5', 'entry_not_found'],
    ['/entries/red/%00', 'entry_not_found'],
  ])
    expect({ asked, ...(await door.get(asked ?? '')) }).toMatchObject({ asked, body: { error: { code } } })
})
