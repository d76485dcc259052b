// The live stream of calls and of one session: batches of new items, a count if there are too many, and items as they arrive.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { keptMs } from '../../insight/live-state.ts'
import { readSessionTopic } from '../../insight/watch-sessions.ts'
import { packTestEntries } from '../../store/testing/build-entry-to-append.ts'
import { buildCallFacts, buildCallRecord } from '../../store/testing/build-ledger-rows.ts'
import { openAdminDoor } from '../testing/open-admin-door.ts'

const anyone = { owner: null, address: null }

let door: Awaited<ReturnType<typeof openAdminDoor>>
const noon = Date.UTC(2026, 10, 21, 12)
beforeEach(async () => {
  door = await openAdminDoor()
  for (const team_id of ['red', 'blue']) await door.post('/team/new', { team_id })
  door.time.now = noon
})
afterEach(() => door.close())

type Data = { readonly items?: readonly Readonly<Record<string, unknown>>[]; readonly gone?: unknown }

async function follow(topic: string) {
  const reader = await door.feed.open(new Set([topic]), null, anyone)
  return {
    /** The data of the topic in the next message; null if it has none. */
    next: async (): Promise<Data | null> => {
      const { value = '' } = await reader.next()
      const part = String(value)
        .split('\n\n')
        .find(text => text.includes(`event: ${topic}\n`))
      const data = part?.split('\n').find(line => line.startsWith('data: '))
      return data === undefined ? null : JSON.parse(data.slice('data: '.length))
    },
    leave: () => reader.end(),
  }
}

async function pass(milliseconds: number): Promise<void> {
  door.time.now += milliseconds
  await door.tick()
}

let numbers = 0
/** Calls that began this many seconds after noon and are recorded now. */
async function record(
  teamId: string,
  seconds: readonly number[],
  sessionId: string | null = null,
  tool = 'codex',
) {
  const calls = seconds.map(second => {
    numbers += 1
    const receivedAt = noon + second * 1000
    const hex = receivedAt.toString(16).padStart(12, '0')
    const id = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${numbers.toString(16).padStart(12, '0')}`
    const client = { ...buildCallFacts().client, sessionId, tool }
    return buildCallRecord(id, { teamId, receivedAt, client })
  })
  await door.store.write.recordCalls({ calls })
}

async function log(
  prompt: string,
  minute: number,
  { sessionId = 's,1', tool = 'codex', teamId = 'red' } = {},
): Promise<void> {
  const body = JSON.stringify({ event: 'Stop', prompt, session_id: sessionId, tool })
  const bodyHash = createHash('sha256').update(body).digest('hex')
  const tsMicros = (noon + minute * 60_000) * 1000
  const entry = { identity: bodyHash, body, bodyBytes: Buffer.byteLength(body), bodyHash, tsMicros }
  await door.store.write.appendEntries({
    now: door.time.now,
    requests: [
      {
        teamId,
        sender: { tokenId: 'lt_1', clientAddress: null },
        entries: packTestEntries([{ ...entry, toolKey: tool, eventKey: 'Stop' }]),
      },
    ],
  })
}

const secondsOf = (data: Data | null) =>
  data?.items?.map(({ items, count }) => ({
    count,
    seconds: (items as { received_at: string }[]).map(one => (Date.parse(one.received_at) - noon) / 1000),
  }))

describe('calls', () => {
  test('the newest first, then new ones, however long ago they began', async () => {
    await record('red', [1, 2])
    await record('blue', [3])
    const reader = await follow('calls')
    expect(secondsOf(await reader.next())).toEqual([{ count: 3, seconds: [3, 2, 1] }])
    const coming = reader.next()
    await record('red', [0])
    await pass(500)
    const second = await coming
    expect(secondsOf(second)).toEqual([{ count: 1, seconds: [0] }])
    expect(second?.items?.[0]).toMatchObject({ batch: 2, items: [{ team_id: 'red', tool: 'codex' }] })
    expect(second?.gone).toEqual([])
    reader.leave()
  })

  test('one team only', async () => {
    await record('red', [1])
    await record('blue', [2])
    const reader = await follow('calls:blue')
    expect(secondsOf(await reader.next())).toEqual([{ count: 1, seconds: [2] }])
    const coming = reader.next()
    await record('red', [3])
    await pass(500)
    await record('blue', [4])
    await pass(500)
    expect(secondsOf(await coming)).toEqual([{ count: 1, seconds: [4] }])
    reader.leave()
  })

  test('more than fifty at once are sent as a count', async () => {
    const reader = await follow('calls')
    expect(secondsOf(await reader.next())).toEqual([{ count: 0, seconds: [] }])
    const coming = reader.next()
    await record(
      'red',
      Array.from({ length: 51 }, (_, second) => second),
    )
    await pass(500)
    expect(secondsOf(await coming)).toEqual([{ count: 51, seconds: [] }])
    reader.leave()
  })

  test('a slow reader gets the last ten batches, and their numbers show the gap', async () => {
    const reader = await follow('calls')
    await reader.next()
    for (let second = 1; second <= 14; second += 1) {
      await record('red', [second])
      await pass(500)
    }
    const data = await reader.next()
    expect(data?.items?.map(({ batch }) => batch)).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
    expect(data?.gone).toEqual([])
    reader.leave()
  })

  test('a reader who comes after a long break gets the newest calls, and older ones are not sent as new', async () => {
    await record('red', [1])
    const first = await follow('calls')
    await first.next()
    first.leave()
    await record(
      'red',
      Array.from({ length: 70 }, (_, second) => second + 2),
    )
    door.time.now += 60_000
    const again = await follow('calls')
    expect(secondsOf(await again.next())).toMatchObject([{ count: 50 }])
    again.leave()
  })
})

describe('a session', () => {
  test('its last entries and calls, then new ones, late entries too', async () => {
    await log('one', 1)
    await log('another', 1, { sessionId: 'other' })
    await record('red', [90], 's,1')
    const topic = 'session:red/s%2C1'
    const reader = await follow(topic)
    const refsOf = (data: Data | null) => data?.items?.map(({ kind, ref }) => `${kind} ${ref}`)
    const first = await reader.next()
    expect(first?.items?.map(({ kind }) => kind)).toEqual(['entry', 'call'])
    expect(first?.items?.[0]).toMatchObject({
      ref: 'red#1',
      entry: { entry: { prompt: 'one' }, more: false },
    })
    const coming = reader.next()
    await log('written earlier', 0)
    await pass(1000)
    expect(refsOf(await coming)).toEqual(['entry red#3'])
    reader.leave()
  })

  test('of one tool, if another tool has a session with the same id: only its entries and calls', async () => {
    await log('one', 1, { sessionId: 'twin' })
    await log('other', 2, { sessionId: 'twin', tool: 'gemini' })
    await record('red', [90], 'twin')
    await record('red', [91, 92], 'twin', 'gemini')
    const kindsOf = (data: Data | null) =>
      data?.items?.map(({ kind, ref }) => (kind === 'entry' ? ref : kind))
    const all = await follow('session:red/twin')
    expect(kindsOf(await all.next())).toHaveLength(5)
    const codex = await follow('session:red/twin?tool=codex')
    expect(kindsOf(await codex.next())).toEqual(['red#1', 'call'])
    const gemini = await follow('session:red/twin?tool=gemini')
    expect(kindsOf(await gemini.next())).toEqual(['red#2', 'call', 'call'])
    const coming = codex.next()
    await log('news of the other', 3, { sessionId: 'twin', tool: 'gemini' })
    await log('news', 3, { sessionId: 'twin' })
    await pass(1000)
    expect(kindsOf(await coming)).toEqual(['red#4'])
    const none = await follow('session:red/twin?tool=other')
    expect(await none.next()).toBeNull()
    for (const reader of [all, codex, gemini, none]) reader.leave()
  })

  test('an empty session can be followed', async () => {
    const reader = await follow('session:red/new')
    expect(await reader.next()).toBeNull()
    const coming = reader.next()
    await log('begin', 0, { sessionId: 'new' })
    await pass(1000)
    expect((await coming)?.items).toMatchObject([{ ref: 'red#1' }])
    reader.leave()
  })

  test('a topic without readers is dropped after a while, and a reader who returns starts over', async () => {
    await log('one', 1)
    const other = await door.feed.open(new Set(['event']), null, anyone)
    const reader = await follow('session:red/s%2C1')
    expect((await reader.next())?.items).toHaveLength(1)
    reader.leave()
    await pass(keptMs + 1000)
    const again = await follow('session:red/s%2C1')
    expect((await again.next())?.items).toHaveLength(1)
    again.leave()
    other.end()
  })
})

test('topics with an unknown team, or without a session, are refused', async () => {
  for (const [topic, code] of [
    ['calls:nobody', 'team_not_found'],
    ['calls:', 'team_not_found'],
    ['session:nobody/x', 'team_not_found'],
    ['session:red', 'invalid_request'],
    ['session:red/', 'invalid_request'],
    ['session:', 'invalid_request'],
    ['session:red/a b', 'invalid_request'],
    ['session:red/a\nevent: x', 'invalid_request'],
    ['session:red/%E0%A4', 'invalid_request'],
    ['session:red/a?tool=', 'invalid_request'],
    ['session:red/a?tool=b?tool=c', 'invalid_request'],
  ])
    expect({
      topic,
      ...(await door.get(`/stream?topics=${encodeURIComponent(topic ?? '')}`)),
    }).toMatchObject({ topic, body: { error: { code } } })
  expect(readSessionTopic(`session:red/${encodeURIComponent('a/b,c\n한')}`)).toEqual({
    teamId: 'red',
    sessionId: 'a/b,c\n한',
    tool: null,
  })
  expect(readSessionTopic('session:red/a%3Ftool%3Db?tool=claude%20code')).toEqual({
    teamId: 'red',
    sessionId: 'a?tool=b',
    tool: 'claude code',
  })
  expect(door.feed.readers).toBe(0)
})

describe('entries', () => {
  type Batch = { readonly count: number; readonly items: readonly Readonly<Record<string, unknown>>[] }
  const textsOf = (data: Data | null) =>
    (data?.items as Batch[] | undefined)?.map(({ count, items }) => [count, ...items.map(({ text }) => text)])

  test('new entries of all teams, each once, the last stored first', async () => {
    await log('before', 1)
    const reader = await follow('entries')
    expect(textsOf(await reader.next())).toEqual([[0]])
    let coming = reader.next()
    await log('one', 3)
    door.time.now += 1
    await log('two', 2, { sessionId: 's,2', teamId: 'blue' })
    await pass(1000)
    const first = await coming
    expect(textsOf(first)).toEqual([[2, 'two', 'one']])
    expect((first?.items as Batch[] | undefined)?.[0]?.items[0]).toMatchObject({
      ...{ team_id: 'blue', seq: 1, tool: 'codex', event: 'Stop', session_id: 's,2', is_late: false },
      ts: '2026-11-21T12:02:00.000000Z',
    })
    coming = reader.next()
    await log('three', 0)
    await pass(1000)
    expect(textsOf(await coming)).toEqual([[1, 'three']])
    reader.leave()
  })

  test('one team only', async () => {
    const reader = await follow('entries:blue')
    await reader.next()
    const coming = reader.next()
    await log('of red', 1)
    await pass(1000)
    await log('of blue', 1, { sessionId: 's,2', teamId: 'blue' })
    await pass(1000)
    expect(textsOf(await coming)).toEqual([[1, 'of blue']])
    reader.leave()
  })

  test('more than fifty at once are sent as a count, and the ones after them are sent again', async () => {
    const reader = await follow('entries')
    await reader.next()
    let coming = reader.next()
    for (let number = 0; number < 51; number += 1) await log(`${number}`, 1)
    await pass(1000)
    expect(textsOf(await coming)).toEqual([[51]])
    coming = reader.next()
    await log('after', 2)
    await pass(1000)
    expect(textsOf(await coming)).toEqual([[1, 'after']])
    reader.leave()
  })
})
