// What LiteLLM's scripts send to the admin door: its routes, its names for our members, and refusals that name a substitute.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { modelGroupListSchema, modelInfoListSchema } from '@fairgate/contracts/info/model-info.ts'
import { userInfoSchema } from '@fairgate/contracts/info/user-info.ts'
import { deletedTeamsSchema } from '@fairgate/contracts/management/bulk.ts'
import { generatedKeySchema, regeneratedKeySchema } from '@fairgate/contracts/management/key-bodies.ts'
import { teamsPageSchema } from '@fairgate/contracts/management/team-bodies.ts'
import { spendLogsSchema } from '@fairgate/contracts/spend/spend-logs.ts'
import { sql } from 'kysely'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { createAuthenticate } from '../gateway/flow/authenticate.ts'
import { buildCallRecord, buildCharge } from '../store/testing/build-ledger-rows.ts'
import { charge } from '../store/testing/suite/store-actions.ts'
import { openAdminDoor, type Reply } from './testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
beforeEach(async () => {
  door = await openAdminDoor()
  for (const team_id of ['red', 'blue'])
    await door.post('/team/new', { team_id, team_alias: `Team ${team_id}` })
})
afterEach(() => door.close())

function readBody<Schema extends TSchema>(schema: Schema, { status, body }: Reply): Static<Schema> {
  expect({ status, body }).toMatchObject({ status: 200 })
  if (Value.Check(schema, body)) return body
  throw new Error(`The reply does not keep to its schema: ${JSON.stringify(body)}`)
}
const addKey = async (members: object = {}) =>
  readBody(generatedKeySchema, await door.post('/key/generate', { team_id: 'red', ...members }))
const messageOf = ({ body }: Reply) => (body as { error: { message: string } }).error.message
const namesOf = async (path: string) => {
  const body = (await door.get(path)).body as { team_id: string }[] | { teams?: []; items?: [] }
  const teams: { team_id: string }[] = Array.isArray(body) ? body : (body.teams ?? body.items ?? [])
  return teams.map(({ team_id }) => team_id)
}

describe('a deleted team', () => {
  const remove = async (more: object = {}) =>
    readBody(deletedTeamsSchema, await door.post('/team/delete', { team_ids: ['red'], ...more }))

  test('is blocked and in no list, and unblocking brings it back as it was', async () => {
    const { key } = await addKey({ key_alias: 'laptop' })
    await addKey({ key_alias: 'lost', blocked: true })
    const authenticate = createAuthenticate({ ...door.directory, clock: () => door.time.now })
    const ask = () =>
      authenticate(new Request('http://door.test/', { headers: { authorization: `Bearer ${key}` } }))
    const before = (await door.get('/key/list?team_id=red')).body
    const shown = await remove({ dry_run: true })
    expect(shown.changes.map(({ what }) => what)).toEqual(['blocked', 'hidden'])
    expect(await namesOf('/team/list')).toEqual(['red', 'blue'])

    const done = await remove({ preview_id: shown.preview_id, reason: 'withdrew' })
    expect(done).toMatchObject({ deleted_teams: ['red'], applied: true, meets: { teams: 1 } })
    expect(() => ask()).toThrow('blocked')
    for (const path of ['/team/list', '/v2/team/list', '/teams'])
      expect(await namesOf(path)).toEqual(['blue'])
    expect((await door.get('/key/list')).body).toMatchObject({ total_count: 0 })
    for (const path of ['/v2/team/list?status=deleted', '/teams?hidden=true'])
      expect(await namesOf(path)).toEqual(['red'])
    expect((await door.get('/team/info?team_id=red')).body).toMatchObject({
      team_info: { blocked: true, hidden_at: expect.any(String) },
    })
    expect(await door.readAudit()).toContainEqual(
      expect.objectContaining({ action: 'team.delete', target: 'red', reason: 'withdrew' }),
    )
    // Once more changes nothing.
    expect(await remove()).toMatchObject({ changes: [], bulk_id: null })
    // Actions on all teams leave it alone.
    await door.post('/teams/unblock', { teams: 'all' })
    expect(door.directory.findTeam('red')?.blocked).toBe(true)

    expect((await door.post('/team/unblock', { team_id: 'red' })).body).not.toHaveProperty('hidden_at')
    expect(await namesOf('/team/list')).toEqual(['red', 'blue'])
    expect((await door.get('/key/list?team_id=red')).body).toEqual(before)
    expect(ask().team.teamId).toBe('red')
  })

  test('stays so over a new start', async () => {
    await remove()
    const { teams } = await door.store.read.readDirectory({ after: null })
    expect(teams.map(({ team_id, hidden_at }) => [team_id, hidden_at !== null])).toEqual([
      ['red', true],
      ['blue', false],
    ])
  })

  test('is named among many, of which none is deleted if one is unknown', async () => {
    const reply = await door.post('/team/delete', { team_ids: ['red', 'nobody'] })
    expect(reply).toMatchObject({ status: 404, body: { error: { code: 'team_not_found' } } })
    expect(await namesOf('/team/list')).toEqual(['red', 'blue'])
    await remove()
    // Named ones are found although they are hidden.
    expect((await door.post('/teams/unblock', { teams: ['red'] })).body).toMatchObject({ applied: true })
    expect(await namesOf('/team/list')).toEqual(['red', 'blue'])
  })
})

test('lists of teams are filtered, sorted and paged as LiteLLM does', async () => {
  await addKey({ user_id: 'ada' })
  await door.post('/team/update', { team_id: 'blue', organization_id: 'north' })
  const page = readBody(teamsPageSchema, await door.get('/v2/team/list?page=2&page_size=1'))
  expect(page).toMatchObject({
    teams: [{ team_id: 'blue' }],
    total: 2,
    page: 2,
    page_size: 1,
    total_pages: 2,
  })
  for (const [query, teams] of [
    ['user_id=ada', ['red']],
    ['user_id=bob', []],
    ['organization_id=north', ['blue']],
  ] as const) {
    expect(await namesOf(`/team/list?${query}`)).toEqual([...teams])
    expect(await namesOf(`/v2/team/list?${query}`)).toEqual([...teams])
  }
  expect(await namesOf('/v2/team/list?team_alias=TEAM&sort_by=team_id')).toEqual(['blue', 'red'])
  expect(await namesOf('/v2/team/list?sort_by=team_id&sort_order=desc')).toEqual(['red', 'blue'])
  expect(await namesOf('/v2/team/list?search=red')).toEqual(['red'])
  expect(await door.get('/v2/team/list?page_sise=5')).toMatchObject({ status: 400 })
})

test('keys are listed by owner, and deleted by alias', async () => {
  const { token } = await addKey({ key_alias: 'laptop', user_id: 'ada' })
  await addKey({ key_alias: 'tower' })
  for (const query of ['user_id=ada', 'key_alias=laptop', `key_hash=${token}`])
    expect((await door.get(`/key/list?${query}`)).body).toMatchObject({ keys: [token], total_count: 1 })
  const gone = await door.post('/key/delete', { keys: null, key_aliases: ['laptop'] })
  expect(gone.body).toMatchObject({ deleted_keys: [token] })
  expect(await door.post('/key/delete', { key_aliases: ['laptop'] })).toMatchObject({
    status: 404,
    body: { error: { param: 'key_aliases[0]' } },
  })
  expect(messageOf(await door.post('/key/delete', {}))).toBe('keys is required.')
})

test('a new secret for the key that the body names', async () => {
  const { key, token } = await addKey()
  const made = readBody(
    regeneratedKeySchema,
    await door.post('/key/regenerate', { key, grace_period: '24h' }),
  )
  expect(made).toMatchObject({ token, rotation_count: 1 })
  expect(Date.parse(made.old_key_until ?? '') - door.time.now).toBe(86_400_000)
  const both = await door.post('/key/regenerate', { key, grace: '1h', grace_period: '1h' })
  expect(both).toMatchObject({ status: 400, body: { error: { param: 'grace_period' } } })
})

describe('the period of a model’s budget', () => {
  const daily = { fast: { budget_limit: 1, time_period: '1d' } }

  test('is that of the key', async () => {
    const made = await addKey({ model_max_budget: daily })
    expect(made).toMatchObject({ budget_duration: '1d', model_max_budget: { 'model-1': 1 } })
    const same = await addKey({ model_max_budget: daily, max_budget: 5, budget_duration: '1d' })
    expect(same).toMatchObject({ budget_duration: '1d', max_budget: 5 })
  })

  test.each([
    ['a budget without end', { max_budget: 5 }, 'without end'],
    ['another period', { budget_duration: '1w' }, '1w'],
    ['no period on purpose', { budget_duration: null }, 'without end'],
  ])('is refused beside %s', async (_name, members, shown) => {
    const reply = await door.post('/key/generate', { team_id: 'red', model_max_budget: daily, ...members })
    expect(reply).toMatchObject({ status: 400, body: { error: { param: 'model_max_budget' } } })
    expect(messageOf(reply)).toContain(shown)
    expect(messageOf(reply)).toContain('budget_duration: "1d"')
  })

  test('is refused if a later change would move the whole budget of the key', async () => {
    const { key } = await addKey({ max_budget: 5 })
    const reply = await door.post('/key/update', { key, set_model_max_budget: daily })
    expect(reply).toMatchObject({ status: 400, body: { error: { param: 'set_model_max_budget' } } })
  })
})

describe('members without a meaning here', () => {
  test.each([
    ['/team/new', { max_parallel_requests: 5 }, 'max_parallel_requests with POST /key/generate'],
    ['/team/new', { soft_budget: 5 }, 'budget_low'],
    ['/team/update', { team_id: 'red', model_max_budget: { fast: 1 } }, 'belong to keys'],
    ['/key/generate', { team_id: 'red', soft_budget: 5 }, 'budget_low'],
    ['/key/generate', { team_id: 'red', key: 'sk-own' }, 'the one in the reply'],
    ['/key/update', { key: 'x', team_id: 'blue' }, 'POST /key/generate'],
    ['/key/regenerate', { key: 'x', max_budget: 5 }, 'POST /key/update'],
    [
      '/key/generate',
      { team_id: 'red', model_max_budget: { fast: { max_budget: 1, rpm_limit: 5 } } },
      'model_rpm_limit',
    ],
  ])('POST %s %j is refused with what to send instead', async (path, body, substitute) => {
    const reply = await door.post(path, body)
    expect(reply).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } })
    expect(messageOf(reply)).toContain(substitute)
  })

  test('are no matter as long as they say nothing', async () => {
    const nothing = { soft_budget: null, router_settings: {}, budget_limits: [] }
    expect(await door.post('/team/new', { team_id: 'green', ...nothing })).toMatchObject({ status: 200 })
    await addKey({ ...nothing, auto_rotate: false })
    expect(messageOf(await door.post('/team/new', { colour: null }))).toBe('colour is not a known member.')
  })
})

test('models with prices and limits, one or all', async () => {
  const { data } = readBody(modelInfoListSchema, await door.get('/v1/model/info'))
  expect(data.map(({ model_name }) => model_name)).toContain('model-1')
  const [one] = readBody(modelInfoListSchema, await door.get('/model/info?litellm_model_id=model-1')).data
  expect(one).toMatchObject({
    litellm_params: { model: 'model-1' },
    model_info: { id: 'model-1', mode: 'chat' },
  })
  const groups = readBody(modelGroupListSchema, await door.get('/model_group/info?model_group=model-1'))
  expect(groups.data).toMatchObject([{ model_group: 'model-1', rpm: null }])
  for (const path of ['/model/info?litellm_model_id=no', '/model_group/info?model_group=no'])
    expect(await door.get(path)).toMatchObject({ status: 404, body: { error: { code: 'model_not_found' } } })
})

test('an owner with their keys and teams', async () => {
  const { token } = await addKey({ user_id: 'ada' })
  door.spend(token, 2_000_000_000)
  const user = readBody(userInfoSchema, await door.get('/user/info?user_id=ada'))
  expect(user).toMatchObject({
    user_id: 'ada',
    user_info: { spend: 2, teams: ['red'] },
    keys: [{ token }],
    teams: [{ team_id: 'red' }],
  })
  expect(await door.get('/user/info?user_id=bob')).toMatchObject({
    status: 404,
    body: { error: { code: 'member_not_found' } },
  })
})

describe('spend logs', () => {
  const idOf = (at: number, number: number) => {
    const hex = at.toString(16).padStart(12, '0')
    return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(number).padStart(12, '0')}`
  }
  const read = async (query: string) => readBody(spendLogsSchema, await door.get(`/spend/logs?${query}`))
  let ada = ''
  let ids: string[] = []
  beforeEach(async () => {
    const one = await addKey({ user_id: 'ada' })
    const other = await addKey({ team_id: 'blue' })
    ada = one.token
    const spend = async (number: number, time: string, team: string, keyHash: string, cost: number) => {
      const at = Date.parse(time)
      const id = idOf(at, number)
      await charge(
        door.store,
        buildCharge(id, { teamId: team, keyHash, cost, admittedAt: at, settledAt: at }),
      )
      const call = buildCallRecord(id, { teamId: team, keyHash, cost, receivedAt: at })
      await door.store.write.recordCalls({ calls: [call] })
      return id
    }
    ids = [
      await spend(1, '2026-11-20T23:59:59Z', 'red', ada, 1_000_000_000),
      await spend(2, '2026-11-21T00:00:00Z', 'red', ada, 2_000_000_000),
      await spend(3, '2026-11-22T23:59:59Z', 'blue', other.token, 4_000_000_000),
    ]
  })

  test('sum each day of a range, both ends included', async () => {
    expect(await read('start_date=2026-11-21&end_date=2026-11-23')).toMatchObject([
      { startTime: '2026-11-21', spend: 2, models: { 'model-1': 2 }, users: { ada: 2 }, [ada]: 2 },
      { startTime: '2026-11-22', spend: 4, users: { '': 4 } },
      { startTime: '2026-11-23', spend: 0, models: {}, users: {} },
    ])
    expect(await read('start_date=2026-11-20&end_date=2026-11-22&user_id=ada')).toMatchObject([
      { spend: 1 },
      { spend: 2 },
      { spend: 0 },
    ])
    expect(await read(`start_date=2026-11-22&end_date=2026-11-22&api_key=${ada}`)).toMatchObject([
      { spend: 0 },
    ])
  })

  test.each([
    ['start_date=2026-11-31', 'start_date'],
    ['start_date=today', 'start_date'],
    ['start_date=2026-11-22&end_date=2026-11-21', 'end_date'],
    ['start_date=2026-01-01&end_date=2026-11-21', 'end_date'],
    ['start=2026-11-21', 'start'],
  ])('%s is refused', async (query, param) => {
    expect(await door.get(`/spend/logs?${query}`)).toMatchObject({ status: 400, body: { error: { param } } })
  })

  test('search a bounded number of calls for those of an owner', async () => {
    const columns = await sql<{ name: string }>`select name from pragma_table_info('calls')`.execute(door.db)
    const others = columns.rows.map(({ name }) => name).filter(name => name !== 'call_id')
    const copied = sql.join(others.map(name => sql.ref(name)))
    await sql`with recursive number (value) as (select 1 union all select value + 1 from number where value < 100000)
      insert into calls (call_id, ${copied})
      select ${idOf(Date.parse('2026-11-21T00:00:00Z'), 0).slice(0, 24)} || printf('%012d', value + 10), ${copied}
      from number, calls where call_id = ${ids[1]}`.execute(door.db)
    const refused = await door.get('/spend/logs?user_id=bob')
    expect(refused).toMatchObject({ status: 400, body: { error: { param: 'start_date' } } })
    expect(messageOf(refused)).toStartWith('Too many calls to search.')
    expect(await read('user_id=bob&start_date=2026-11-22')).toEqual([])
  })

  test('list single calls, newest first', async () => {
    const rows = await read('start_date=2026-11-21&end_date=2026-11-22&summarize=false')
    expect(rows).toMatchObject([
      { request_id: ids[2], team_id: 'blue', user: '', spend: 4 },
      { request_id: ids[1], team_id: 'red', user: 'ada', api_key: ada, spend: 2, status: 'success' },
    ])
    expect(await read('start_date=2026-11-21&team_id=red')).toMatchObject([{ request_id: ids[1] }])
    expect(await read(`request_id=${ids[0]}`)).toMatchObject([{ request_id: ids[0], spend: 1 }])
    expect(await read('request_id=chatcmpl-1')).toEqual([])
    expect(await read('user_id=ada')).toHaveLength(2)
  })
})
