// Keys by the names that organisers use, new secrets for old keys, and the names of deleted ones, on the admin door.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  deletedKeyListSchema,
  generatedKeySchema,
  keyRowSchema,
  regeneratedKeySchema,
} from '@fairgate/contracts/management/key-bodies.ts'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { createAuthenticate } from '../gateway/flow/authenticate.ts'
import { openAdminDoor, type Reply } from './testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>

beforeEach(async () => {
  door = await openAdminDoor()
  for (const team_id of ['red', 'blue']) await door.post('/team/new', { team_id })
})
afterEach(() => door.close())

function readBody<Schema extends TSchema>(schema: Schema, { status, body }: Reply): Static<Schema> {
  expect({ status, body }).toMatchObject({ status: 200 })
  if (Value.Check(schema, body)) return body
  throw new Error(`The reply does not keep to its schema: ${JSON.stringify(body)}`)
}
const addKey = async (team_id: string, key_alias = 'laptop') =>
  readBody(generatedKeySchema, await door.post('/key/generate', { team_id, key_alias, rpm_limit: 5 }))

test('a key is blocked by alias and team, and an ambiguous name is refused with the candidates', async () => {
  const red = await addKey('red')
  const blue = await addKey('blue')
  const ambiguous = await door.post('/key/block', { key: 'laptop' })
  expect(ambiguous).toMatchObject({ status: 400, body: { error: { code: 'invalid_request', param: 'key' } } })
  expect(JSON.stringify(ambiguous.body)).toContain(red.token.slice(0, 12))
  expect(JSON.stringify(ambiguous.body)).toContain(blue.token.slice(0, 12))
  const blocked = readBody(keyRowSchema, await door.post('/key/block', { key: 'blue/laptop' }))
  expect(blocked).toMatchObject({ token: blue.token, blocked: true })
  const shown = await door.get(`/key/info?key=${red.key.slice(-4)}`)
  expect(shown).toMatchObject({ status: 200, body: { key: red.token, info: { blocked: null } } })
})

describe('a new secret', () => {
  const openGate = () =>
    createAuthenticate({
      findKeyBySecret: door.directory.findKeyBySecret,
      findTeam: door.directory.findTeam,
      clock: () => door.time.now,
    })
  const authenticate = (secret: string) =>
    openGate()(new Request('http://door.test/', { headers: { authorization: `Bearer ${secret}` } }))
  const regenerate = async (key: string, body: object = {}) =>
    readBody(regeneratedKeySchema, await door.post(`/key/${encodeURIComponent(key)}/regenerate`, body))

  test('replaces the old one, which works until its grace period ends', async () => {
    const old = await addKey('red')
    door.spend(old.token, 1000)
    const made = await regenerate('red/laptop', { grace: '15m' })
    expect(made).toMatchObject({ token: old.token, key_alias: 'laptop', rpm_limit: 5, rotation_count: 1 })
    expect(made.spend).toBe(0.000001)
    expect(made.key_name).toBe(`sk-...${made.key.slice(-4)}`)
    const until = Date.parse(made.old_key_until ?? '')
    expect(until - Date.parse(made.last_rotation_at ?? '')).toBe(900_000)
    for (const secret of [old.key, made.key]) expect(authenticate(secret).key.keyHash).toBe(old.token)
    door.time.now = until
    expect(() => authenticate(old.key)).toThrow('replaced by a new one')
    expect(authenticate(made.key).key.keyHash).toBe(old.token)
    // The organiser still finds the key by either.
    for (const key of [old.key, made.key, old.token])
      expect(await door.get(`/key/info?key=${key}`)).toMatchObject({ body: { key: old.token } })
  })

  test('without a grace period stops the old one at once; a second one stops the first', async () => {
    const old = await addKey('red')
    const second = await regenerate(old.token)
    expect(second.old_key_until).toBeNull()
    expect(() => authenticate(old.key)).toThrow('replaced by a new one')
    const third = await regenerate(old.token, { grace: '1h' })
    expect(third.rotation_count).toBe(2)
    for (const secret of [second.key, third.key]) expect(authenticate(secret).key.keyHash).toBe(old.token)
    expect(() => authenticate(old.key)).toThrow('does not exist')
  })

  test('survives a restart, and the audit holds neither secret', async () => {
    const old = await addKey('red')
    const made = await regenerate(old.token, { grace: '1d' })
    const loaded = await door.load()
    for (const { key } of [old, made])
      expect(loaded.findKeyBySecret(Bun.SHA256.hash(key, 'hex'))?.keyHash).toBe(old.token)
    const audit = JSON.stringify(await door.readAudit())
    expect(audit).toContain('key.regenerate')
    for (const { key } of [old, made]) expect(audit).not.toContain(key)
  })

  test.each([
    ['nobody', {}, 404, 'key_not_found', 'key'],
    ['laptop', { grace: 'soon' }, 400, 'invalid_request', 'grace'],
    ['laptop', { grace: '31d' }, 400, 'invalid_request', 'grace'],
    ['laptop', { grace: 15 }, 400, 'invalid_request', 'grace'],
    ['laptop', { key: 'laptop' }, 400, 'invalid_request', 'key'],
  ])('for %s with %j is refused', async (key, body, status, code, param) => {
    await addKey('red')
    expect(await door.post(`/key/${key}/regenerate`, body)).toMatchObject({
      status,
      body: { error: { code, param } },
    })
  })
})

describe('deleted keys', () => {
  test('keep their names, page by page, the last deleted first, and after a restart', async () => {
    const keys = [await addKey('red', 'one'), await addKey('blue', 'two'), await addKey('red', 'three')]
    for (const { token } of keys) await door.post('/key/delete', { keys: [token] })
    const read = async (query: string) =>
      readBody(deletedKeyListSchema, await door.get(`/key/deleted${query}`))
    const first = await read('?limit=2')
    expect(first.items.map(({ key_alias }) => key_alias)).toEqual(['three', 'two'])
    const second = await read(`?limit=2&after=${first.next}`)
    expect(second).toMatchObject({ next: null, items: [{ key_alias: 'one', deleted_by: 'admin' }] })
    expect((await read('?team_id=red')).items).toMatchObject([
      { key: keys[2]?.token, key_name: keys[2]?.key_name, team_id: 'red' },
      { key: keys[0]?.token },
    ])
    const loaded = await door.load()
    expect(loaded.deletedKeys().map(({ alias }) => alias)).toEqual(['one', 'two', 'three'])
    expect(loaded.findKeyName(keys[1]?.token ?? '')).toMatchObject({ alias: 'two' })
  })

  test.each([
    ['?team_id=nobody', 404, 'team_not_found', 'team_id'],
    ['?after=nonsense', 400, 'invalid_request', 'after'],
    ['?limit=501', 400, 'invalid_request', 'limit'],
  ])('%s is refused', async (query, status, code, param) => {
    const refused = { status, body: { error: { code, param } } }
    expect(await door.get(`/key/deleted${query}`)).toMatchObject(refused)
  })
})
