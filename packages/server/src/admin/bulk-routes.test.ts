// Bulk changes through the admin door: selection of teams, effects, previews, and all or nothing.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { bulkReplySchema } from '@fairgate/contracts/management/bulk.ts'
import { Value } from 'typebox/value'
import { openAdminDoor } from './testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>

beforeEach(async () => {
  door = await openAdminDoor()
  await door.post('/team/new', { team_id: 'red', max_budget: 20, tags: ['final'], rpm_limit: 5 })
  await door.post('/team/new', { team_id: 'blue', max_budget: 30.5, tags: ['final', 'late'] })
  await door.post('/team/new', { team_id: 'green', max_budget: 0.1 })
})
afterEach(() => door.close())

const sendAction = async (path: string, body: object) => {
  const { status, body: reply } = await door.post(path, body)
  expect({ status, reply }).toMatchObject({ status: 200 })
  if (Value.Check(bulkReplySchema, reply)) return reply
  throw new Error(`The reply does not keep to its schema: ${JSON.stringify(reply)}`)
}
const refusedAs = (status: number, code: string, param: string | null) => ({
  status,
  body: { error: { code, param } },
})
const budgets = (): Record<string, number | null> =>
  Object.fromEntries(door.directory.teams().map(({ teamId, maxBudget }) => [teamId, maxBudget]))
const countAudit = async () => (await door.readAudit()).length

describe('selection of teams', () => {
  test.each([
    ['all', { teams: 'all' }, ['red', 'blue', 'green']],
    ['some', { teams: ['green', 'red', 'green'] }, ['red', 'green']],
    ['those with a tag', { teams: 'all', where: { tag: 'final' } }, ['red', 'blue']],
    ['some of them with a tag', { teams: ['red', 'blue'], where: { tag: 'late' } }, ['blue']],
  ])('%s', async (_name, chosen, reached) => {
    const reply = await sendAction('/teams/block', chosen)
    expect(reply.changes.map(({ what, subject, from, to }) => [what, subject, from, to])).toEqual(
      reached.map(teamId => ['blocked', teamId, false, true]),
    )
    expect(reply).toMatchObject({ applied: true, meets: { teams: reached.length } })
    const blocked = door.directory.teams().filter(team => team.blocked === true)
    expect(blocked.map(({ teamId }) => teamId)).toEqual(reached)
  })

  test.each([
    [{ teams: ['red', 'nobody'] }, 404, 'team_not_found', 'team_id'],
    [{ teams: 'all', where: { tag: 'nobody' } }, 400, 'invalid_request', 'where.tag'],
    [{ teams: [] }, 400, 'invalid_request', 'teams'],
    [{ teams: 'some' }, 400, 'invalid_request', 'teams'],
    [{}, 400, 'invalid_request', 'teams'],
    [{ teams: 'all', where: { tag: 'final', color: 'red' } }, 400, 'invalid_request', 'where.color'],
    [{ teams: 'all', preview_id: 'pv_1' }, 409, 'preview_outdated', 'preview'],
  ])('%j is refused, and no team is blocked', async (body, status, code, param) => {
    const reply = await door.post('/teams/block', body)
    expect(reply).toMatchObject({ status, body: { error: { code } } })
    expect(JSON.stringify(reply.body)).toContain(param)
    expect(door.directory.teams().some(({ blocked }) => blocked === true)).toBe(false)
  })
})

describe('/teams/update', () => {
  test('sets every budget, with an audit row for each team under one bulk_id', async () => {
    const before = await countAudit()
    const { bulk_id, changes } = await sendAction('/teams/update', {
      teams: 'all',
      max_budget: 40,
      reason: 'the network was down',
    })
    expect(budgets()).toEqual({ red: 40_000_000_000, blue: 40_000_000_000, green: 40_000_000_000 })
    expect(changes[1]).toEqual({
      what: 'max_budget_nano',
      subject: 'blue',
      from: 30_500_000_000,
      to: 40_000_000_000,
      count: 1,
    })
    const rows = (await door.readAudit()).slice(before)
    expect(
      rows.map(({ action, target, bulk_id: id, reason, actor }) => [action, target, id, reason, actor]),
    ).toEqual(
      ['red', 'blue', 'green'].map(id => ['team.update', id, bulk_id, 'the network was down', 'admin']),
    )
    expect(await door.get(`/audit?team_id=red&limit=1`)).toMatchObject({
      body: { items: [{ bulk_id, reason: 'the network was down', before: { max_budget: 20 } }] },
    })
    const loaded = await door.load()
    expect(loaded.findTeam('blue')?.maxBudget).toBe(door.directory.findTeam('blue')?.maxBudget ?? null)
  })

  test('one invalid team is named, and no team is changed', async () => {
    const audit = await countAudit()
    const reply = await door.post('/teams/update', {
      teams: ['blue', 'green'],
      max_budget: 5,
      set_model_rpm_limit: { nope: 1 },
    })
    expect(reply).toMatchObject(refusedAs(400, 'invalid_request', 'set_model_rpm_limit.nope'))
    expect(JSON.stringify(reply.body)).toContain('Team \\"blue\\"')
    expect(budgets()).toEqual({ red: 20_000_000_000, blue: 30_500_000_000, green: 100_000_000 })
    expect(await countAudit()).toBe(audit)
  })

  test.each([
    ['/teams/update', { teams: 'all' }],
    ['/team/update', { team_id: 'red' }],
    ['/key/update', { key: 'laptop' }],
  ])('%s refuses a relative amount and names the grant', async (path, body) => {
    const reply = await door.post(path, { ...body, max_budget: '+10' })
    expect(reply).toMatchObject(refusedAs(400, 'invalid_request', 'max_budget'))
    expect(JSON.stringify(reply.body)).toContain('use POST /teams/grant (fairgate grant).')
  })

  test('teams that already have the value are skipped', async () => {
    const reply = await sendAction('/teams/update', { teams: ['red', 'blue'], rpm_limit: 5 })
    expect(reply.changes.map(({ subject }) => subject)).toEqual(['blue'])
    const again = await sendAction('/teams/update', { teams: ['red', 'blue'], rpm_limit: 5 })
    expect(again).toMatchObject({ changes: [], bulk_id: null, meets: { teams: 2 } })
  })

  test('every kind of change has a description', async () => {
    const { changes } = await sendAction('/teams/update', {
      teams: ['red'],
      budget_duration: '1d',
      tpm_limit: 9,
      set_model_rpm_limit: { 'model-1': 3 },
      models: ['model-1'],
      tags: [],
      organization_id: 'org',
    })
    expect(changes.map(({ what, from, to }) => [what, from, to])).toEqual([
      ['budget_duration', null, '1d'],
      ['tpm_limit', null, 9],
      ['model_rpm_limit.model-1', null, 3],
      ['models', '', 'model-1'],
      ['metadata', '{"tags":["final"]}', '{"tags":[]}'],
      ['informational', '{}', '{"organization_id":"org"}'],
    ])
  })
})

describe('a preview', () => {
  const body = { teams: 'all', max_budget: 21 }

  test('changes nothing, and its id makes exactly that change', async () => {
    const audit = await countAudit()
    const preview = await sendAction('/teams/update', { ...body, dry_run: true })
    expect(preview).toMatchObject({ applied: false, bulk_id: null })
    expect(await countAudit()).toBe(audit)
    const made = await sendAction('/teams/update', { ...body, preview_id: preview.preview_id })
    expect(made.changes).toEqual(preview.changes)
    expect(budgets()).toMatchObject({ red: 21_000_000_000 })
  })

  test('is outdated once one of its teams has changed', async () => {
    const preview = await sendAction('/teams/update', { ...body, dry_run: true })
    await door.post('/team/update', { team_id: 'blue', rpm_limit: 1 })
    const reply = await door.post('/teams/update', { ...body, preview_id: preview.preview_id })
    expect(reply).toMatchObject(refusedAs(409, 'preview_outdated', null))
    expect(budgets()).toMatchObject({ red: 20_000_000_000 })
  })
})

describe('boards', () => {
  const locks = async () => {
    const { body } = await door.get('/logs/boards')
    return body
  }

  test('are locked and opened again, each with its audit row', async () => {
    await door.post('/team/lock', { team_id: 'blue' })
    const locked = await sendAction('/teams/lock', { teams: 'all' })
    expect(locked.changes.map(({ what, subject }) => [what, subject])).toEqual([
      ['board.locked', 'red'],
      ['board.locked', 'green'],
    ])
    expect(await locks()).toMatchObject({ boards: [{ locked: true }, { locked: true }, { locked: true }] })
    await sendAction('/teams/unlock', { teams: ['red', 'blue'] })
    expect(await locks()).toMatchObject({
      boards: [
        { team_id: 'blue', locked: false },
        { team_id: 'green', locked: true },
        { team_id: 'red', locked: false },
      ],
    })
    const last = (await door.readAudit()).slice(-2)
    expect(last).toMatchObject([
      { action: 'board.unlock', team_id: 'red', before: { locked: true }, after: { locked: false } },
      { action: 'board.unlock', team_id: 'blue' },
    ])
  })

  test('a future lock time is set; a past one needs confirmation', async () => {
    const at = new Date(door.time.now + 3_600_000).toISOString()
    await sendAction('/teams/lock', { teams: 'all', lock_at: at })
    expect(await locks()).toMatchObject({ boards: [{ locked: false, lock_at: at }, {}, {}] })
    const past = { teams: 'all', lock_at: '2020-01-01T00:00:00Z' }
    expect(await door.post('/teams/lock', past)).toMatchObject(
      refusedAs(400, 'invalid_request', 'preview_id'),
    )
    const { preview_id, warnings } = await sendAction('/teams/lock', { ...past, dry_run: true })
    expect(warnings[0]).toContain('is in the past')
    await sendAction('/teams/lock', { ...past, preview_id })
    expect(await locks()).toMatchObject({ boards: [{ locked: true }, { locked: true }, { locked: true }] })
  })

  test('an invalid lock time is refused', async () => {
    const reply = await door.post('/teams/lock', { teams: 'all', lock_at: 'soon' })
    expect(reply).toMatchObject(refusedAs(400, 'invalid_request', 'lock_at'))
  })
})

describe('/teams/grant', () => {
  const ten = { amount_nano: 10_000_000_000, reason: 'an hour more' }
  const granted = () =>
    Object.fromEntries(
      door.directory.teams().map(({ teamId, granted }) => [teamId, Number(granted?.amount ?? 0)]),
    )

  test('raises every budget, with a row and an audit row for each team under one bulk_id', async () => {
    const before = await countAudit()
    const reply = await sendAction('/teams/grant', { teams: 'all', ...ten })
    expect(reply.changes).toEqual(
      ['red', 'blue', 'green'].map(subject => ({
        ...{ what: 'granted_nano', subject, from: 0, to: 10_000_000_000, count: 1 },
      })),
    )
    expect(granted()).toEqual({ red: 10_000_000_000, blue: 10_000_000_000, green: 10_000_000_000 })
    const rows = (await door.readAudit()).slice(before)
    expect(rows.map(({ action, target, bulk_id, reason }) => [action, target, bulk_id, reason])).toEqual(
      ['red', 'blue', 'green'].map(target => ['team.grant', target, reply.bulk_id, 'an hour more']),
    )
    const loaded = await door.load()
    expect(Number(loaded.findTeam('blue')?.granted?.amount)).toBe(10_000_000_000)
  })

  test('the same adjustment_id counts once, even if it was used for a single team', async () => {
    await door.post('/team/blue/grant', { ...ten, adjustment_id: 'more-1' })
    const again = await door.post('/teams/grant', { teams: 'all', ...ten, adjustment_id: 'more-1' })
    expect(again).toMatchObject(refusedAs(409, 'conflict', 'adjustment_id'))
    expect(granted()).toEqual({ red: 0, blue: 10_000_000_000, green: 0 })
    await sendAction('/teams/grant', { teams: 'all', ...ten, adjustment_id: 'more-2' })
    const repeated = await door.post('/teams/grant', { teams: 'all', ...ten, adjustment_id: 'more-2' })
    expect(repeated).toMatchObject(refusedAs(409, 'conflict', 'adjustment_id'))
    expect(granted()).toEqual({ red: 10_000_000_000, blue: 20_000_000_000, green: 10_000_000_000 })
  })

  test('a preview changes nothing, and is outdated once one of its teams gets another grant', async () => {
    const preview = await sendAction('/teams/grant', { teams: 'all', ...ten, dry_run: true })
    expect(granted()).toEqual({ red: 0, blue: 0, green: 0 })
    await door.post('/team/red/grant', ten)
    const body = { teams: 'all', ...ten, preview_id: preview.preview_id }
    expect(await door.post('/teams/grant', body)).toMatchObject({
      status: 409,
      body: { error: { code: 'preview_outdated' } },
    })
    expect(granted()).toEqual({ red: 10_000_000_000, blue: 0, green: 0 })
  })

  test('a team without a budget is skipped after confirmation', async () => {
    await door.post('/team/update', { team_id: 'blue', max_budget: null })
    const reply = await door.post('/teams/grant', { teams: 'all', ...ten })
    expect(reply).toMatchObject(refusedAs(400, 'invalid_request', 'preview_id'))
    expect(JSON.stringify(reply.body)).toContain('blue')
    const { preview_id } = await sendAction('/teams/grant', { teams: 'all', ...ten, dry_run: true })
    await sendAction('/teams/grant', { teams: 'all', ...ten, preview_id })
    expect(granted()).toEqual({ red: 10_000_000_000, blue: 0, green: 10_000_000_000 })
  })

  test.each([
    [{ teams: 'all', amount_nano: 0, reason: 'why' }, 'amount_nano'],
    [{ teams: 'all', amount_nano: -1, reason: 'why' }, 'amount_nano'],
    [{ teams: 'all', amount_nano: 0.5, reason: 'why' }, 'amount_nano'],
    [{ teams: 'all', amount_nano: 1 }, 'reason'],
    [{ amount_nano: 1, reason: 'why' }, 'teams'],
  ])('%j is refused, and nothing is granted', async (body, param) => {
    expect(await door.post('/teams/grant', body)).toMatchObject(refusedAs(400, 'invalid_request', param))
    expect(granted()).toEqual({ red: 0, blue: 0, green: 0 })
  })
})

test('one request changes, blocks or locks a thousand teams', async () => {
  for (let number = 0; number < 1000; number += 1)
    await door.directory.createTeam({ team_id: `team-${number}`, max_budget: 1 }, 'admin')
  const { changes } = await sendAction('/teams/update', { teams: 'all', max_budget: 1.5 })
  expect(changes).toHaveLength(1003)
  const grant = { teams: 'all', amount_nano: 5, reason: 'a thousand rows' }
  expect((await sendAction('/teams/grant', grant)).changes).toHaveLength(1003)
  expect((await sendAction('/teams/block', { teams: 'all' })).changes).toHaveLength(1003)
  expect((await sendAction('/teams/lock', { teams: 'all' })).changes).toHaveLength(1003)
  expect(new Set((await door.readAudit()).slice(-1003).map(({ bulk_id }) => bulk_id)).size).toBe(1)
  // Creating the teams one by one takes long on a busy machine.
}, 300_000)
