// suite: 8 s
// The live stream for its readers: the full state first, then changes, heartbeats, positions, and its end.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { beatMs, maxReaders, maxReadersPerOwner } from '../../insight/live-feed.ts'
import { openAdminDoor } from '../testing/open-admin-door.ts'
import { type Event, parseEvents } from '../testing/parse-events.ts'

const anyone = { owner: null, address: null }

let door: Awaited<ReturnType<typeof openAdminDoor>>
beforeEach(async () => {
  door = await openAdminDoor()
  for (const team_id of ['red', 'blue']) await door.post('/team/new', { team_id })
})
afterEach(() => door.close())

/** Each read returns one message of the connection. */
async function follow(topics: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await door.follow(`/stream?topics=${topics}`, headers)
  const reader = response.body?.getReader()
  if (reader === undefined) throw new Error('no body')
  const decoder = new TextDecoder()
  return {
    response,
    next: async (): Promise<Event[] | null> => {
      const { done, value } = await reader.read()
      return done ? null : parseEvents(decoder.decode(value))
    },
    leave: () => reader.cancel(),
  }
}

/** Later, and read again. */
async function pass(milliseconds: number): Promise<void> {
  door.time.now += milliseconds
  await door.tick()
}

const namesOf = (events: readonly Event[] | null) => events?.map(({ event }) => event)

test('a reader first gets the state of all topics, then each change', async () => {
  const reader = await follow('teams,stats,event')
  expect(reader.response.headers.get('content-type')).toStartWith('text/event-stream')
  const first = await reader.next()
  expect(namesOf(first)?.toSorted()).toEqual(['beat', 'event', 'stats', 'teams'])
  const rows = first?.find(({ event }) => event === 'teams')?.data
  expect(rows).toMatchObject({ items: [{ team_id: 'red' }, { team_id: 'blue' }], gone: [], version: 2 })
  expect(first?.find(({ event }) => event === 'stats')?.data).toMatchObject({
    spent_nano: 0,
    teams: { not_started: 2 },
  })
  expect(first?.find(({ event }) => event === 'event')?.data).toMatchObject({ gateway: 'open' })
  await door.post('/team/block', { team_id: 'red' })
  const coming = reader.next()
  await pass(1000)
  const second = await coming
  expect(namesOf(second)).toEqual(['teams', 'stats'])
  expect(second?.[0]?.data).toMatchObject({ items: [{ team_id: 'red', state: 'blocked' }], version: 3 })
  expect(second?.map(({ id }) => id === null)).toEqual([true, false])
  await door.post('/event/pause', { reason: 'a storm' })
  const third = reader.next()
  await pass(1000)
  expect((await third)?.find(({ event }) => event === 'event')?.data).toMatchObject({
    gateway: 'paused',
    paused: { reason: 'a storm' },
  })
  await reader.leave()
})

test('one team only', async () => {
  const reader = await follow('team:red')
  const first = await reader.next()
  expect(namesOf(first)).toEqual(['team:red', 'beat'])
  expect(first?.[0]?.data).toMatchObject({ team_id: 'red', state: 'not_started' })
  await reader.leave()
})

test('a heartbeat comes every five seconds, even without changes', async () => {
  const reader = await follow('event')
  await reader.next()
  const coming = reader.next()
  for (let passed = 0; passed < beatMs; passed += 500) await pass(500)
  const beat = await coming
  expect(namesOf(beat)).toEqual(['beat'])
  expect(Date.parse(String(beat?.[0]?.data.now))).toBeLessThanOrEqual(door.time.now)
  expect(beat?.[0]?.data.stale).toEqual([])
  await reader.leave()
})

test('a slow reader gets each topic once, in its latest state', async () => {
  const reader = await door.feed.open(new Set(['teams']), null, anyone)
  await reader.next()
  for (const path of ['/team/block', '/team/unblock', '/team/block']) {
    await door.post(path, { team_id: 'red' })
    await pass(1000)
  }
  const { value } = await reader.next()
  const events = parseEvents(value ?? '')
  expect(namesOf(events)).toEqual(['teams'])
  expect(events[0]?.data.items).toMatchObject([{ team_id: 'red', state: 'blocked' }])
  reader.end()
})

describe('a returning reader', () => {
  test('continues at its position', async () => {
    const before = await follow('teams')
    const id = (await before.next())?.at(-1)?.id ?? ''
    await before.leave()
    await door.post('/team/block', { team_id: 'blue' })
    door.time.now += 2000
    const after = await follow('teams', { 'last-event-id': id })
    const events = await after.next()
    expect(namesOf(events)).toEqual(['teams', 'beat'])
    expect(events?.[0]?.data.items).toMatchObject([{ team_id: 'blue', state: 'blocked' }])
    await after.leave()
  })

  test('starts over with a position of another process, or an invalid one', async () => {
    for (const id of ['process-2.1', 'process-1.99999', 'process-1.-1', 'x', '']) {
      const reader = await follow('teams', { 'last-event-id': id })
      const events = await reader.next()
      expect(namesOf(events)).toEqual(['reset', 'teams', 'beat'])
      expect(events?.[1]?.data.items).toMatchObject([{ team_id: 'red' }, { team_id: 'blue' }])
      await reader.leave()
    }
  })
})

describe('refusals', () => {
  test('unknown topics, unknown teams, and too many of them', async () => {
    const refusals = [
      ['', 'invalid_request'],
      ['?topics=', 'invalid_request'],
      ['?topics=stats,colours', 'invalid_request'],
      ['?topics=constructor', 'invalid_request'],
      ['?topics=team:nobody', 'team_not_found'],
      ['?topics=stats&topic=teams', 'invalid_request'],
      [`?topics=${Array.from({ length: 33 }, (_, index) => `x${index}`).join(',')}`, 'invalid_request'],
    ]
    for (const [query, code] of refusals)
      expect({ query, ...(await door.get(`/stream${query}`)) }).toMatchObject({
        query,
        body: { error: { code } },
      })
    expect(door.feed.readers).toBe(0)
  })

  // Fails if only all readers are counted: the 17th was answered with 200.
  test('too many readers with one key, until one leaves', async () => {
    const readers = await Promise.all(Array.from({ length: maxReadersPerOwner }, () => follow('event')))
    expect(await door.get('/stream?topics=event')).toMatchObject({
      status: 429,
      body: { error: { code: 'too_many_streams' } },
    })
    await readers[0]?.leave()
    await (await follow('event')).leave()
    for (const reader of readers.slice(1)) await reader.leave()
    expect(door.feed.readers).toBe(0)
  })

  test('too many readers from one address, or in all; a key that reconnects is not counted twice', async () => {
    const event = new Set(['event'])
    const openFrom = (owner: number, address: string) =>
      door.feed.open(event, null, { owner: `key-${owner}`, address })
    const codeAt = (owner: number, address: string) =>
      openFrom(owner, address).then(
        reader => reader.end(),
        (error: unknown) => (error instanceof ApiError ? [error.code, error.headers['retry-after']] : error),
      )
    const hall = await Promise.all(Array.from({ length: 67 }, (_, owner) => openFrom(owner, '192.0.2.1')))
    expect(await codeAt(100, '192.0.2.1')).toEqual(['too_many_streams', '5'])
    hall[0]?.end()
    for (let reconnections = 0; reconnections < 40; reconnections += 1)
      expect(await codeAt(0, '192.0.2.1')).toBeUndefined()
    const others = await Promise.all(
      Array.from({ length: maxReaders - 66 }, (_, owner) => openFrom(200 + owner, `2001:db8:0:${owner}::1`)),
    )
    expect(await codeAt(300, '198.51.100.1')).toEqual(['unavailable', '5'])
    for (const reader of [...hall, ...others]) reader.end()
    expect(door.feed.readers).toBe(0)
  })

  test('figures that cannot be read, before the reply begins; later a heartbeat says so', async () => {
    const reader = await follow('stats,event')
    await reader.next()
    door.takeAway()
    door.time.now += 1000
    expect((await door.get('/stream?topics=stats')).status).toBe(503)
    const coming = reader.next()
    for (let passed = 0; passed < 2 * beatMs; passed += 1000) {
      await pass(1000)
    }
    expect((await coming)?.find(({ event }) => event === 'beat')?.data.stale).toEqual(['stats'])
    await reader.leave()
    await door.bringBack()
  })
})

test('nothing is read without readers', async () => {
  expect(await door.tick()).toBe(false)
  const reader = await follow('stats')
  await reader.next()
  expect(await door.tick()).toBe(true)
  await reader.leave()
  expect(await door.tick()).toBe(false)
})

test('streams end when the server is about to stop, and new ones end at once', async () => {
  const reader = await follow('stats')
  await reader.next()
  const end = reader.next()
  door.feed.close()
  expect(await end).toBeNull()
  const late = await follow('stats')
  expect(await late.next()).toEqual([])
  expect(await late.next()).toBeNull()
  expect(door.feed.readers).toBe(0)
})

test('announcements and readiness are topics too, and a removed announcement disappears', async () => {
  const reader = await follow('messages,readiness')
  const first = await reader.next()
  expect(first?.find(({ event }) => event === 'readiness')?.data.items).toMatchObject([
    { part: 'clock' },
    { part: 'upstreams' },
  ])
  const { body } = await door.post('/announcements', { text: 'Lunch is served.' })
  const { announcement_id: id } = body as { announcement_id: string }
  const coming = reader.next()
  await pass(1000)
  expect((await coming)?.find(({ event }) => event === 'messages')?.data).toMatchObject({
    items: [{ announcement_id: id, text: 'Lunch is served.' }],
    gone: [],
  })
  expect((await door.remove(`/announcements/${id}`)).status).toBe(200)
  const last = reader.next()
  await pass(1000)
  expect((await last)?.find(({ event }) => event === 'messages')?.data).toMatchObject({
    items: [],
    gone: [id],
  })
  await reader.leave()
})

test('a change of judging is a topic for organisers and head judges', async () => {
  const reader = await follow('judging')
  expect((await reader.next())?.find(({ event }) => event === 'judging')?.data).toMatchObject({ records: 0 })
  const coming = reader.next()
  await door.post('/judging/judges', { judges: [{ name: 'Ada' }] })
  await pass(1000)
  expect((await coming)?.[0]?.data).toMatchObject({ records: 1 })
  await reader.leave()
  const { body } = await door.post('/admin_keys', { name: 'Bea', role: 'judge' })
  const headers = { authorization: `Bearer ${(body as { key: string }).key}` }
  expect((await door.follow('/stream?topics=judging', headers)).status).toBe(403)
})

// Fails without its `check`: the stream then continues for as long as its reader likes.
test('a stream ends when its session ends, or its key may no longer read the topic', async () => {
  const signIn = async (key: string) => {
    const { headers } = await door.send(
      new Request('http://door.test/session', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ key }),
      }),
    )
    return headers.get('set-cookie')?.split(';')[0] ?? ''
  }
  const { body } = await door.post('/admin_keys', { name: 'Jiwoo', role: 'judge' })
  const { key, key_id } = body as { key: string; key_id: string }
  const cookie = await signIn(key)
  const [byCookie, byKey] = [
    await follow('event', { cookie }),
    await follow('teams', { authorization: `Bearer ${key}` }),
  ]
  await byCookie.next()
  await byKey.next()
  await pass(beatMs)
  expect(namesOf(await byCookie.next())).toEqual(['beat'])
  expect(namesOf(await byKey.next())).toContain('beat')
  await door.post(`/admin_keys/${key_id}`, { role: 'operator' })
  await pass(beatMs)
  while ((await byKey.next()) !== null);
  expect(namesOf(await byCookie.next())).toContain('beat')
  await door.post(`/admin_keys/${key_id}`, { blocked: true })
  await pass(beatMs)
  while ((await byCookie.next()) !== null);
  expect(await door.tick()).toBe(false)
})
