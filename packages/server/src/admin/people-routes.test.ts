// suite: 7 s
// Team members through the admin door: replies and refusals.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { claimListSchema, madeClaimsSchema } from '@fairgate/contracts/management/claims.ts'
import { generatedKeySchema } from '@fairgate/contracts/management/key-bodies.ts'
import { generatedLogTokenSchema, logTokenListSchema } from '@fairgate/contracts/management/log-tokens.ts'
import { peopleSchema, personReplySchema } from '@fairgate/contracts/management/people.ts'
import { previewReplySchema } from '@fairgate/contracts/management/planned-action.ts'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
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
const refused = (status: number, code: string, param: string | null) => ({
  status,
  body: { error: { code, param } },
})
const add = async (name: string, fields: object = {}) =>
  readBody(personReplySchema, await door.post('/people', { team_id: 'red', name, ...fields }))
const list = async (query = '') => readBody(peopleSchema, await door.get(`/people${query}`))
const namesOf = (people: Static<typeof peopleSchema>) => people.items.map(({ name }) => name)

describe('adding', () => {
  test('returns the member, and is audited with its reason', async () => {
    const made = await add(' Haeun ', { email: 'haeun@example.org', reason: 'late' })
    expect(made).toMatchObject({
      team_id: 'red',
      name: 'Haeun',
      email: 'haeun@example.org',
      claimed_at: null,
      keys: [],
      log_tokens: [],
    })
    expect(made.member_id).toMatch(/^mb_/)
    expect(Date.parse(made.as_of)).toBeGreaterThan(0)
    const [row] = (await door.readAudit()).filter(({ action }) => action === 'member.add')
    expect(JSON.stringify(row)).toContain('"late"')
  })

  test.each([
    ['of an unknown team', { team_id: 'nobody', name: 'Ada' }, refused(404, 'team_not_found', 'team_id')],
    ['without a name', { team_id: 'red', name: '   ' }, refused(400, 'invalid_request', 'name')],
    ['with a line break', { team_id: 'red', name: 'Ada\nEve' }, refused(400, 'invalid_request', 'name')],
    [
      'with a bad address',
      { team_id: 'red', name: 'Ada', email: 'ada' },
      refused(400, 'invalid_request', 'email'),
    ],
    [
      'with an unknown field',
      { team_id: 'red', name: 'Ada', role: 'x' },
      refused(400, 'invalid_request', 'role'),
    ],
  ])('a member %s is refused', async (_name, body, expected) => {
    expect(await door.post('/people', body)).toMatchObject(expected)
    expect((await list()).items).toEqual([])
  })

  test('a name is unique in its team however it is typed, an address too; other teams may use both', async () => {
    await add('Zoë Park', { email: 'zoe@example.org' })
    expect(await door.post('/people', { team_id: 'red', name: 'ZOE\u0308  park' })).toMatchObject(
      refused(409, 'conflict', 'name'),
    )
    expect(await door.post('/people', { team_id: 'red', name: 'Z', email: 'zoe@example.org' })).toMatchObject(
      refused(409, 'conflict', 'email'),
    )
    await add('Zoë Park', { team_id: 'blue', email: 'zoe@example.org' })
  })
})

describe('the list', () => {
  test('comes in pages that neither skip nor repeat, for one team or all', async () => {
    for (const name of ['A', 'B', 'C']) await add(name)
    await add('D', { team_id: 'blue' })
    const first = await list('?limit=2')
    expect([namesOf(first), first.total.count]).toEqual([['A', 'B'], 4])
    const second = await list(`?limit=2&after=${first.next}`)
    expect([namesOf(second), second.next]).toEqual([['C', 'D'], null])
    expect(namesOf(await list('?team_id=blue'))).toEqual(['D'])
    expect(await door.get('/people?team_id=nobody')).toMatchObject(refused(404, 'team_not_found', 'team_id'))
    expect(await door.get('/people?after=mb_none')).toMatchObject(refused(400, 'invalid_request', 'after'))
    expect(await door.get('/people?limit=501')).toMatchObject(refused(400, 'invalid_request', 'limit'))
  })

  test('shows the keys and log tokens of each member, and these show their member', async () => {
    const { member_id } = await add('Ada')
    const key = readBody(
      generatedKeySchema,
      await door.post('/key/generate', { team_id: 'red', member_id, key_alias: 'laptop' }),
    )
    expect(key.member_id).toBe(member_id)
    const plain = readBody(generatedKeySchema, await door.post('/key/generate', { team_id: 'red' }))
    expect('member_id' in plain).toBe(false)
    const { token_id } = readBody(
      generatedLogTokenSchema,
      await door.post('/log_token/generate', { team_id: 'red', member_id }),
    )
    expect((await list()).items).toMatchObject([
      {
        keys: [{ token: key.token, key_alias: 'laptop', blocked: false }],
        log_tokens: [{ token_id, revoked_at: null }],
      },
    ])
    expect(readBody(logTokenListSchema, await door.get('/log_token/list')).log_tokens).toMatchObject([
      { member_id },
    ])
    await door.post('/key/update', { key: key.token, member_id: null })
    expect((await list()).items[0]?.keys).toEqual([])
  })

  test('keys and tokens of another team, or unknown ones, are refused', async () => {
    const { member_id } = await add('Ada')
    for (const [path, team_id, owner] of [
      ['/key/generate', 'blue', member_id],
      ['/log_token/generate', 'blue', member_id],
      ['/key/generate', 'red', 'mb_none'],
    ])
      expect(await door.post(path ?? '', { team_id, member_id: owner })).toMatchObject(
        refused(400, 'invalid_request', 'member_id'),
      )
  })
})

describe('changing', () => {
  test('keeps absent members, and null removes the address', async () => {
    const { member_id } = await add('Ada', { email: 'ada@example.org' })
    const change = async (body: object) =>
      readBody(personReplySchema, await door.post(`/people/${member_id}`, body))
    expect(await change({ name: 'Ada L.' })).toMatchObject({ name: 'Ada L.', email: 'ada@example.org' })
    expect(await change({ email: null })).toMatchObject({ name: 'Ada L.', email: null })
    expect(readBody(personReplySchema, await door.get(`/people/${member_id}`))).toMatchObject({
      name: 'Ada L.',
    })
  })

  test('is refused for an unknown member, and for a name in use', async () => {
    await add('Eve')
    const { member_id } = await add('Ada')
    expect(await door.post('/people/mb_none', { name: 'X' })).toMatchObject(
      refused(404, 'member_not_found', 'member_id'),
    )
    expect(await door.post(`/people/${member_id}`, { name: 'eve' })).toMatchObject(
      refused(409, 'conflict', 'name'),
    )
  })
})

describe('removing', () => {
  test('keeps the name for reports and forgets the address', async () => {
    const { member_id } = await add('Ada', { email: 'ada@example.org' })
    expect(readBody(personReplySchema, await door.remove(`/people/${member_id}`))).toMatchObject({
      name: 'Ada',
      email: null,
    })
    expect((await list()).items).toEqual([])
    expect(namesOf(await list('?removed=true'))).toEqual(['Ada'])
    expect(await door.remove(`/people/${member_id}`)).toMatchObject(
      refused(404, 'member_not_found', 'member_id'),
    )
    await add('Ada', { email: 'ada@example.org' })
  })

  test('asks what to do with active secrets', async () => {
    for (const [keys, blocked] of [
      ['block', true],
      ['keep', false],
    ] as const) {
      const { member_id } = await add(`Ada ${keys}`)
      const { token } = readBody(
        generatedKeySchema,
        await door.post('/key/generate', { team_id: 'red', member_id }),
      )
      await door.post('/log_token/generate', { team_id: 'red', member_id })
      const answer = await door.remove(`/people/${member_id}`)
      expect(answer).toMatchObject(refused(409, 'conflict', 'keys'))
      expect(JSON.stringify(answer.body)).toContain('1 keys, 1 log tokens')
      const person = readBody(personReplySchema, await door.remove(`/people/${member_id}?keys=${keys}`))
      expect(person).toMatchObject({ keys: [{ token, blocked }] })
      expect(person.log_tokens[0]?.revoked_at === null).toBe(!blocked)
    }
    expect(await door.remove('/people/mb_none?keys=burn')).toMatchObject(
      refused(400, 'invalid_request', 'keys'),
    )
  })

  test('asks nothing if the secrets no longer work, and audits each secret that it stops', async () => {
    const { member_id } = await add('Ada')
    const { token } = readBody(
      generatedKeySchema,
      await door.post('/key/generate', { team_id: 'red', member_id }),
    )
    await door.post('/key/block', { key: token })
    readBody(personReplySchema, await door.remove(`/people/${member_id}`))
    const other = await add('Eve')
    await door.post('/key/generate', { team_id: 'red', member_id: other.member_id })
    await door.post('/log_token/generate', { team_id: 'red', member_id: other.member_id })
    await door.remove(`/people/${other.member_id}?keys=block`)
    const actions = (await door.readAudit()).map(({ action }) => action)
    expect(actions.slice(-3)).toEqual(['member.remove', 'key.block', 'log_token.revoke'])
  })
})

test('changes survive a restart', async () => {
  const { member_id } = await add('Ada')
  await door.post('/key/generate', { team_id: 'red', member_id })
  const loaded = await door.load()
  expect(loaded.members()).toEqual(door.directory.members())
  expect(loaded.keys()).toEqual(door.directory.keys())
})

describe('a dry run', () => {
  const previewOf = (reply: Reply) => readBody(previewReplySchema, reply)

  test('of adding returns the member and adds none; its id is refused for any other member', async () => {
    const body = { team_id: 'red', name: 'Ada', email: 'ada@example.org' }
    const { applied, changes, preview_id } = previewOf(await door.post('/people', { ...body, dry_run: true }))
    expect([applied, (await list()).items]).toEqual([false, []])
    expect(changes.map(({ what, subject, to }) => [what, subject, to])).toEqual([
      ['member.name', 'red', 'Ada'],
      ['member.email', 'red', 'ada@example.org'],
    ])
    expect(await door.post('/people', { ...body, name: 'Eve', preview_id })).toMatchObject(
      refused(409, 'preview_outdated', null),
    )
    await add('Ada', { email: 'ada@example.org', preview_id })
    expect(await door.post('/people', { ...body, dry_run: true })).toMatchObject(
      refused(409, 'conflict', 'name'),
    )
  })

  test('of removing shows which keys stop, and is outdated by a key made since', async () => {
    const { member_id } = await add('Ada')
    const makeKey = () => door.post('/key/generate', { team_id: 'red', member_id })
    const { token } = readBody(generatedKeySchema, await makeKey())
    const path = `/people/${member_id}?keys=block`
    const seen = previewOf(await door.remove(`${path}&dry_run=true`))
    expect(seen.changes.map(({ what, subject }) => [what, subject])).toEqual([
      ['member.removed', member_id],
      ['key.blocked', token],
    ])
    expect(namesOf(await list())).toEqual(['Ada'])
    await makeKey()
    expect(await door.remove(`${path}&preview_id=${seen.preview_id}`)).toMatchObject(
      refused(409, 'preview_outdated', null),
    )
    const next = previewOf(await door.remove(`${path}&dry_run=true`))
    expect(await door.remove(`${path}&preview_id=${next.preview_id}`)).toMatchObject({ status: 200 })
    expect((await list()).items).toEqual([])
  })

  test('of claims makes no code, and its id is refused once another member has a free seat', async () => {
    await add('Ada')
    const body = { teams: ['red'], seats: 1, duration: '1d' }
    const post = (fields: object, path = '/claims') => door.post(path, fields)
    const seen = previewOf(await post({ ...body, dry_run: true }))
    expect(seen.changes.map(({ what, to }) => [what, to])).toEqual([
      ['claim.free_members', 1],
      ['claim.seats', 1],
      ['claim.duration_ms', 86_400_000],
    ])
    expect(readBody(claimListSchema, await door.get('/claims')).items).toEqual([])
    await add('Eve')
    const outdated = refused(409, 'preview_outdated', null)
    expect(await post({ ...body, preview_id: seen.preview_id })).toMatchObject(outdated)
    const { preview_id } = previewOf(await post({ ...body, dry_run: true }))
    const [claim] = readBody(madeClaimsSchema, await post({ ...body, preview_id })).items
    const taken = refused(409, 'conflict', 'teams')
    expect(await post({ ...body, dry_run: true })).toMatchObject(taken)

    const path = `/claims/${claim?.claim_id}`
    const renewal = previewOf(await post({ dry_run: true }, `${path}/renew`))
    expect(renewal.changes[0]).toMatchObject({ what: 'claim.state', from: 'works', to: 'renewed' })
    expect(await post({ seats: 9, preview_id: renewal.preview_id }, `${path}/renew`)).toMatchObject(outdated)
    const end = previewOf(await door.remove(`${path}?dry_run=true`))
    expect(end.changes).toMatchObject([{ what: 'claim.state', from: 'works', to: 'revoked' }])
    expect(await door.get(path)).toMatchObject({ body: { state: 'works' } })
    expect(await door.remove(`${path}?preview_id=${end.preview_id}`)).toMatchObject({
      body: { state: 'revoked' },
    })
    expect(await door.remove(`${path}?preview_id=${end.preview_id}`)).toMatchObject(outdated)
  })
})
