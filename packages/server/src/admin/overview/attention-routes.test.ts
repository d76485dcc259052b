// suite: 6 s
// Attention and snoozes, upstreams, and lookups of anything that a person can paste.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { attentionReplySchema } from '@fairgate/contracts/console/attention.ts'
import { lookupReplySchema } from '@fairgate/contracts/console/lookup.ts'
import { upstreamsReplySchema } from '@fairgate/contracts/console/upstreams.ts'
import { Value } from 'typebox/value'
import { buildCallFacts, buildCharge } from '../../store/testing/build-ledger-rows.ts'
import { charge } from '../../store/testing/suite/store-actions.ts'
import { openAdminDoor } from '../testing/open-admin-door.ts'

const anyone = { owner: null, address: null }

let door: Awaited<ReturnType<typeof openAdminDoor>>
let key: string
beforeEach(async () => {
  door = await openAdminDoor()
  for (const team_id of ['red', 'blue'])
    await door.post('/team/new', { team_id, team_alias: `Team ${team_id}`, max_budget: 1 })
  const { body } = await door.post('/key/generate', { team_id: 'red', key_alias: 'red-laptop' })
  key = (body as { key: string }).key
})
afterEach(() => door.close())

const hashOf = (secret: string) => new Bun.CryptoHasher('sha256').update(secret).digest('hex')

describe('attention', () => {
  const attention = async () => {
    const { status, body } = await door.get('/attention')
    expect(status).toBe(200)
    return Value.Parse(attentionReplySchema, body)
  }
  const snooze = (id: string, body: object) => door.post(`/attention/${encodeURIComponent(id)}/snooze`, body)

  test('is empty until a budget is spent', async () => {
    expect(await attention()).toMatchObject({
      items: [],
      next: null,
      total: { count: 0, critical: 0, warning: 0 },
    })
    door.spend(hashOf(key), 1_000_000_000)
    expect(await attention()).toMatchObject({
      items: [
        {
          kind: 'budget_spent',
          severity: 'critical',
          subjects: [{ kind: 'team', id: 'red' }],
          snoozed: null,
        },
      ],
      total: { count: 1, critical: 1, warning: 0 },
    })
  })

  test('a snoozed condition shows who snoozed it and why, returns in time or at once, and is audited', async () => {
    door.spend(hashOf(key), 1_000_000_000)
    const id = (await attention()).items[0]?.condition_id ?? ''
    const asked = door.time.now
    expect(await snooze(id, { minutes: 30, reason: 'told the team' })).toMatchObject({
      status: 200,
      body: { condition_id: id, snoozed_until: new Date(asked + 1_800_000).toISOString() },
    })
    expect(await attention()).toMatchObject({
      items: [{ condition_id: id, snoozed: { actor: 'admin', reason: 'told the team' } }],
      total: { count: 1, critical: 0 },
    })
    expect((await door.readAudit()).at(-1)).toMatchObject({
      action: 'attention.snooze',
      team_id: 'red',
      target: id,
      reason: 'told the team',
    })
    door.time.now += 1_800_000
    expect((await attention()).total.critical).toBe(1)
    await snooze(id, {})
    expect((await attention()).total.critical).toBe(0)
    expect(await snooze(id, { minutes: 0 })).toMatchObject({ body: { snoozed_until: null } })
    expect((await attention()).total.critical).toBe(1)
  })

  test('a condition that is not there, or a snooze that is too long, is refused', async () => {
    expect(await snooze('nothing:red:0', {})).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    })
    for (const body of [{ minutes: 1441 }, { minutes: -1 }, { minutes: 1.5 }, { until: 'never' }])
      expect(await snooze('disk_short', body)).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_request' } },
      })
  })

  test('is reported while the database does not answer', async () => {
    door.spend(hashOf(key), 1_000_000_000)
    await attention()
    door.takeAway()
    expect((await attention()).total.critical).toBe(1)
    await door.bringBack()
  })

  test('is a topic of the stream', async () => {
    door.spend(hashOf(key), 1_000_000_000)
    const reader = await door.feed.open(new Set(['attention']), null, anyone)
    const { value } = await reader.next()
    expect(value).toContain('event: attention')
    expect(value).toContain('"kind":"budget_spent"')
    reader.end()
  })
})

test('upstreams have their keys, models and newest calls', async () => {
  const admittedAt = door.time.now - 60_000
  const hex = admittedAt.toString(16).padStart(12, '0')
  const callId = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000001`
  const facts = buildCallFacts({ upstream: 'vendor' })
  await charge(door.store, buildCharge(callId, { teamId: 'red', admittedAt, durationMs: 321, facts }))
  const { status, body } = await door.get('/upstreams')
  expect(status).toBe(200)
  expect(Value.Parse(upstreamsReplySchema, body).items).toEqual([
    {
      upstream: 'vendor',
      models: ['model-1'],
      last_outcome: 'upstream_auth',
      keys: [
        {
          id: 'k1',
          key: '1234',
          state: 'resting',
          fault: 'refused',
          next_trial_at: new Date(door.time.now + 5000).toISOString(),
        },
        { id: 'k2', key: null, state: 'ready', fault: null, next_trial_at: null },
      ],
      calls_per_min: 0.2,
      errors_share: 0,
      latency_ms: { p50: 321, p95: 321 },
    },
  ])
})

describe('a lookup', () => {
  const lookup = async (value: string) => {
    const { status, body } = await door.post('/lookup', { value })
    expect({ status, body }).toMatchObject({ status: 200 })
    return Value.Parse(lookupReplySchema, body).items
  }

  test('finds teams, members, keys, tokens and models, exact matches first', async () => {
    await door.post('/team/new', { team_id: 'redder' })
    await door.post('/people', { team_id: 'blue', name: 'Fred' })
    expect((await lookup('red')).map(({ kind, id }) => [kind, kind === 'key' ? '' : id])).toMatchObject([
      ['team', 'red'],
      ['team', 'redder'],
      ['member', expect.any(String)],
      ['key', ''],
    ])
    const of = { kind: 'key', id: hashOf(key), name: 'red-laptop', team_id: 'red' }
    expect(await lookup(key.slice(-4))).toMatchObject([of])
    expect(await lookup(hashOf(key))).toMatchObject([of])
    expect(await lookup('model-1')).toMatchObject([{ kind: 'model', id: 'model-1', team_id: null }])
    expect(await lookup('nothing at all')).toEqual([])
    expect(await lookup(' ')).toEqual([])
  })

  test('finds a call by its id, and no entry that does not exist', async () => {
    const callId = '01900000-0000-7000-8000-000000000001'
    await charge(door.store, buildCharge(callId, { teamId: 'red', facts: buildCallFacts() }))
    expect(await lookup(callId)).toMatchObject([
      { kind: 'call', id: callId, team_id: 'red', url: `/calls/${callId}` },
    ])
    expect(await lookup('01900000-0000-7000-8000-000000000002')).toEqual([])
    expect(await lookup('red#1')).toEqual([])
  })

  test('a full key is refused, and not repeated', async () => {
    for (const value of [key, 'aitc_abc']) {
      const reply = await door.post('/lookup', { value })
      expect(reply).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } })
      expect(JSON.stringify(reply.body)).not.toContain(value)
    }
    expect(door.lines.join('')).not.toContain(key)
    for (const body of [{}, { value: '' }, { value: 'a\0' }, { value: 'x', more: 1 }])
      expect((await door.post('/lookup', body)).status).toBe(400)
  })
})
