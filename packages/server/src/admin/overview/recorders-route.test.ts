// Recorders: their entries and own reports, side by side, with problems.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { type RecordersReply, recordersReplySchema } from '@fairgate/contracts/console/recorders.ts'
import { Value } from 'typebox/value'
import { packTestEntries } from '../../store/testing/build-entry-to-append.ts'
import { openAdminDoor } from '../testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
let token: { readonly token_id: string }
const noon = Date.UTC(2026, 10, 21, 12)
beforeEach(async () => {
  door = await openAdminDoor()
  await door.post('/team/new', { team_id: 'red' })
  const { body: member } = await door.post('/people', { team_id: 'red', name: 'Haeun' })
  const { member_id } = member as { member_id: string }
  token = (await door.post('/log_token/generate', { team_id: 'red', member_id })).body as typeof token
  door.time.now = noon
})
afterEach(() => door.close())

async function log(id: string, n: number, minute: number, tool: string): Promise<void> {
  const body = JSON.stringify({ event: 'Stop', recorder: { id, n }, student: 'h@example.org', tool })
  const bodyHash = createHash('sha256').update(body).digest('hex')
  const tsMicros = (noon - 3_600_000 + minute * 60_000) * 1000
  const entry = { identity: bodyHash, body, bodyBytes: Buffer.byteLength(body), bodyHash, tsMicros }
  await door.store.write.appendEntries({
    now: noon - 1000,
    requests: [
      {
        teamId: 'red',
        sender: { tokenId: token.token_id, clientAddress: null },
        entries: packTestEntries([{ ...entry, toolKey: tool, eventKey: 'Stop' }]),
      },
    ],
  })
}

const report = (cloneId: string, changes: object = {}) =>
  door.store.write.noteRecorders({
    recorders: [
      {
        ...{ teamId: 'red', tokenId: token.token_id, cloneId, version: '0.2.0', unsent: 0, oldestAt: null },
        ...{ rejected: 0, gone: [], clockBehindMs: 0, seenAt: noon - 5000, ...changes },
      },
    ],
  })

async function recorders(): Promise<RecordersReply['items']> {
  const { status, body } = await door.get('/recorders?team_id=red')
  expect({ status, body }).toMatchObject({ status: 200 })
  return Value.Parse(recordersReplySchema, body).items
}

test('a healthy recorder: owner, tools, times', async () => {
  await log('0000000a', 1, 0, 'codex')
  await log('0000000a', 2, 5, 'codex')
  await log('0000000a', 3, 2, 'claude-code')
  await report('0000000a')
  expect(await recorders()).toMatchObject([
    {
      clone_id: '0000000a',
      students: ['h@example.org'],
      members: [{ name: 'Haeun' }],
      token_ids: [token.token_id],
      version: '0.2.0',
      last_seen: '2026-11-21T11:59:55.000Z',
      last_event: '2026-11-21T11:05:00.000Z',
      entries: 3,
      missing: 0,
      unsent: 0,
      spool_age_ms: null,
      tools: [
        { tool: 'codex', entries: 2, last_at: '2026-11-21T11:05:00.000Z', last_event: 'Stop' },
        { tool: 'claude-code', entries: 1 },
      ],
      warnings: [],
    },
  ])
})

test('problems are named, the most urgent first', async () => {
  await log('0000000a', 1, 0, 'codex')
  await log('0000000a', 4, 0, 'codex')
  const oldestAt = noon - 7_200_000
  await report('0000000a', {
    version: '0.1.0',
    unsent: 3,
    oldestAt,
    rejected: 1,
    gone: ['codex'],
    clockBehindMs: -3 * 3_600_000,
  })
  await log('0000000b', 1, 0, 'gemini')
  await report('0000000c', { unsent: 1, oldestAt: noon - 60_000, clockBehindMs: 90_000, seenAt: noon - 1 })
  const items = await recorders()
  expect(items.map(({ clone_id, warnings }) => [clone_id, warnings.map(({ code }) => code)])).toEqual([
    ['0000000c', []],
    [
      '0000000a',
      ['hooks_gone', 'clock_wrong', 'entries_waiting', 'entries_refused', 'numbers_missing', 'other_version'],
    ],
    ['0000000b', ['says_nothing']],
  ])
  expect(items[1]).toMatchObject({ missing: 2, unsent: 3, spool_age_ms: 7_200_000 })
  expect(items[1]?.warnings[1]?.text).toContain("3 h ahead of the server's")
  expect(items[0]).toMatchObject({ entries: 0, last_event: null, tools: [], unsent: 1 })
})

test('invalid queries are refused', async () => {
  for (const [query, code] of [
    ['', 'invalid_request'],
    ['?team_id=nobody', 'team_not_found'],
    ['?team_id=red&x=1', 'invalid_request'],
  ])
    expect({ query, ...(await door.get(`/recorders${query}`)) }).toMatchObject({
      query,
      body: { error: { code } },
    })
})
