// The overview for organisers: states, lights, money and pace of teams, event figures, and refusals.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { attentionReplySchema } from '@fairgate/contracts/console/attention.ts'
import { overviewSchema } from '@fairgate/contracts/console/overview.ts'
import { type TeamRow, teamsReplySchema } from '@fairgate/contracts/console/teams.ts'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { buildEntryToAppend, packTestEntries, sender } from '../../store/testing/build-entry-to-append.ts'
import { buildCallFacts, buildCallRecord, buildCharge } from '../../store/testing/build-ledger-rows.ts'
import { charge } from '../../store/testing/suite/store-actions.ts'
import { openAdminDoor } from '../testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
const keys: Record<string, string> = {}
const minute = 60_000

beforeEach(async () => {
  door = await openAdminDoor()
  spent.clear()
  for (const team of ['red', 'blue']) {
    await door.post('/team/new', { team_id: team, team_alias: `Team ${team}`, max_budget: 1 })
    const { body } = await door.post('/key/generate', { team_id: team })
    keys[team] = new Bun.CryptoHasher('sha256').update((body as { key: string }).key).digest('hex')
  }
})
afterEach(() => door.close())

let numbers = 0
const spent = new Map<string, number>()
function idAt(unixMs: number): string {
  numbers += 1
  const hex = unixMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${numbers.toString(16).padStart(12, '0')}`
}

async function spend(teamId: string, minutesAgo: number, cost: number): Promise<void> {
  const admittedAt = door.time.now - minutesAgo * minute
  const times = { admittedAt, settledAt: admittedAt + 500 }
  const facts = buildCallFacts({ firstByteMs: 120 })
  await charge(
    door.store,
    buildCharge(idAt(admittedAt), { teamId, keyHash: keys[teamId] ?? '', cost, ...times, facts }),
  )
  spent.set(teamId, (spent.get(teamId) ?? 0) + cost)
  door.spend(keys[teamId] ?? '', spent.get(teamId) ?? 0)
}

async function refuse(teamId: string, minutesAgo: number, count: number): Promise<void> {
  const receivedAt = door.time.now - minutesAgo * minute
  const call = buildCallRecord(idAt(receivedAt), {
    ...{ teamId, keyHash: keys[teamId] ?? '', outcome: 'refused', code: 'rpm_exceeded', count, receivedAt },
    modelServed: null,
  })
  await door.store.write.recordCalls({ calls: [call] })
}

async function log(teamId: string, minutesAgo: number): Promise<void> {
  const at = door.time.now - minutesAgo * minute
  const entries = packTestEntries([buildEntryToAppend(`${teamId} ${minutesAgo}`, { tsMicros: at * 1000 })])
  await door.store.write.appendEntries({ now: at, requests: [{ teamId, sender, entries }] })
}

async function read<Schema extends TSchema>(schema: Schema, path: string): Promise<Static<Schema>> {
  const { status, body } = await door.get(path)
  expect({ status, body }).toMatchObject({ status: 200 })
  if (Value.Check(schema, body)) return body
  throw new Error(`The reply does not keep to its schema: ${JSON.stringify(body)}`)
}
const teams = (query = '') => read(teamsReplySchema, `/teams${query}`)

async function rowOf(teamId: string): Promise<TeamRow> {
  const row = (await teams()).items.find(({ team_id }) => team_id === teamId)
  if (row === undefined) throw new Error(`no row of ${teamId}`)
  return row
}

describe('the state of a team', () => {
  test('is not_started at first, working with calls and entries, and quiet half an hour later', async () => {
    expect(await rowOf('red')).toMatchObject({
      state: 'not_started',
      lights: { key: { s: 'ok' }, call: { s: 'none', since: null }, rec: { s: 'none' }, log: { s: 'none' } },
      last_call: null,
      last_entry: null,
    })
    await spend('red', 1, 1000)
    await log('red', 1)
    expect(await rowOf('red')).toMatchObject({
      state: 'working',
      lights: { key: { s: 'ok' }, call: { s: 'ok' }, rec: { s: 'ok' }, log: { s: 'none' } },
      last_call: new Date(door.time.now - minute).toISOString(),
      last_entry: new Date(door.time.now - minute).toISOString(),
      calls: 1,
      entries: 1,
      keys: 1,
    })
    door.time.now += 30 * minute
    expect((await rowOf('red')).state).toBe('quiet')
  })

  test('distinguishes a spent budget from a nearly spent one, and includes grants', async () => {
    await spend('red', 1, 950_000_000)
    expect(await rowOf('red')).toMatchObject({
      state: 'near_budget',
      left_nano: 50_000_000,
      budget_nano: 1_000_000_000,
    })
    await spend('red', 1, 50_000_000)
    expect(await rowOf('red')).toMatchObject({ state: 'budget_spent', left_nano: 0 })
    const grant = { amount_nano: 1_000_000_000, reason: 'more' }
    expect((await door.post('/team/red/grant', grant)).status).toBe(200)
    expect(await rowOf('red')).toMatchObject({ state: 'working', left_nano: 1_000_000_000 })
  })

  test('is refused_now with many refusals, but not with old ones or with a few among many calls', async () => {
    await refuse('red', 20, 50)
    expect((await rowOf('red')).state).toBe('working')
    await refuse('red', 0, 4)
    expect((await rowOf('red')).state).toBe('working')
    await refuse('red', 0, 1)
    expect(await rowOf('red')).toMatchObject({
      state: 'refused_now',
      lights: { call: { s: 'warn' } },
      refused_1h: 55,
    })
  })

  test('is recorder_silent with calls and no entry', async () => {
    // The board has been open for long enough to judge.
    door.time.now += 60 * 60_000
    await log('red', 40)
    for (const minutesAgo of [1, 2, 3, 4]) await spend('red', minutesAgo, 10)
    expect((await rowOf('red')).lights.rec.s).toBe('ok')
    await spend('red', 5, 10)
    expect(await rowOf('red')).toMatchObject({ state: 'recorder_silent', lights: { rec: { s: 'warn' } } })
    await log('red', 14)
    expect(await rowOf('red')).toMatchObject({ state: 'working', lights: { rec: { s: 'ok' } } })
  })

  test('is blocked, with the light of its keys, and an expired key cannot be used', async () => {
    await door.post('/team/block', { team_id: 'red' })
    expect(await rowOf('red')).toMatchObject({ state: 'blocked', keys: 0, lights: { key: { s: 'blocked' } } })
    await door.post('/key/block', { key: keys.blue })
    expect((await rowOf('blue')).lights.key).toMatchObject({
      s: 'blocked',
      text: 'All keys of the team are blocked.',
    })
    await door.post('/key/unblock', { key: keys.blue })
    await door.post('/key/update', { key: keys.blue, duration: '1s' })
    door.time.now += 2000
    expect((await rowOf('blue')).lights.key.s).toBe('warn')
  })

  test('pace, spark and budget forecast follow the last hours', async () => {
    door.time.now += 120 * minute
    await spend('red', 30, 100_000_000)
    await spend('red', 5, 100_000_000)
    const row = await rowOf('red')
    expect(row.spark.length).toBe(24)
    expect(row.spark.filter(cost => cost > 0)).toEqual([100_000_000, 100_000_000])
    expect(row.pace_nano_h).toBeGreaterThan(0)
    expect(Date.parse(row.dry_at ?? '')).toBeGreaterThan(door.time.now)
    expect(row.dry_at).toEndWith(':00.000Z')
  })
})

describe('the list', () => {
  test('puts teams that need attention first, and counts all states regardless of filters', async () => {
    await spend('blue', 1, 1_000_000_000)
    const page = await teams('?limit=1')
    expect(page.items.map(({ team_id }) => team_id)).toEqual(['blue'])
    expect(page).toMatchObject({
      total: { count: 2, exact: true },
      states: { budget_spent: 1, not_started: 1 },
    })
    const rest = await teams(`?limit=1&after=${page.next}`)
    expect(rest.items.map(({ team_id }) => team_id)).toEqual(['red'])
    expect(rest.next).toBeNull()
  })

  test('is sorted and searched, and pages by id skip none', async () => {
    await door.post('/team/new', { team_id: 'green', team_alias: 'No budget' })
    await door.post('/people', { team_id: 'green', name: 'Haeun Seo' })
    await spend('red', 1, 5)
    const ids = async (query: string) => (await teams(query)).items.map(({ team_id }) => team_id)
    expect(await ids('?sort=left_nano')).toEqual(['red', 'blue', 'green'])
    expect(await ids('?sort=left_nano&order=desc')).toEqual(['blue', 'red', 'green'])
    expect(await ids('?q=haeun')).toEqual(['green'])
    expect(await ids('?q=TEAM&sort=team_id')).toEqual(['blue', 'red'])
    expect(await ids('?team_id=red')).toEqual(['red'])
    expect(await ids('?team_id=re')).toEqual([])
    expect(await ids('?state=working')).toEqual(['red'])
    const seen: string[] = []
    let after = ''
    for (;;) {
      const page = await teams(`?sort=team_id&limit=1${after}`)
      seen.push(...page.items.map(({ team_id }) => team_id))
      if (page.next === null) break
      after = `&after=${page.next}`
    }
    expect(seen).toEqual(['blue', 'green', 'red'])
  })

  test('invalid queries are refused', async () => {
    for (const query of ['?sort=colour', '?state=happy', '?after=x', '?limit=501', '?team=red', '?order=up'])
      expect(await door.get(`/teams${query}`)).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_request' } },
      })
  })
})

describe('the overview', () => {
  const overview = () => read(overviewSchema, '/overview')

  test('is empty at first', async () => {
    expect(await overview()).toMatchObject({
      spent_nano: 0,
      forecast: null,
      why_no_forecast: 'No phase of the event covers this time.',
      calls_per_min: 0,
      refused_share: null,
      errors_share: null,
      first_token_ms: { p50: null, p95: null },
      entries_per_min: 0,
      teams: { not_started: 2 },
      changed: null,
    })
  })

  test('takes rates and times from the last five minutes', async () => {
    for (const minutesAgo of [1, 2, 3]) await spend('red', minutesAgo, 10)
    await refuse('blue', 4, 1)
    await spend('blue', 6, 10)
    await log('red', 1)
    expect(await overview()).toMatchObject({
      calls_per_min: 0.8,
      refused_share: 0.25,
      errors_share: 0,
      first_token_ms: { p50: 120, p95: 120 },
      latency_ms: { p50: 500, p95: 500 },
      sample: { calls: 4, seconds: 300 },
      entries_per_min: 0.2,
      changed: new Date(door.time.now - minute).toISOString(),
    })
  })

  test('forecasts spend at the end of the phase, for each team at most its budget', async () => {
    const phase = {
      name: 'contest',
      from: new Date(door.time.now - 60 * minute).toISOString(),
      until: new Date(door.time.now + 60 * minute).toISOString(),
    }
    await door.post('/event/phases', { phases: [phase] }, 'PUT')
    await spend('red', 10, 20_000_000)
    const { forecast, spent_nano } = await overview()
    // 20 million in 20 minutes, for another hour.
    expect((forecast?.mid_nano ?? 0) - spent_nano).toBeCloseTo(60_000_000, -6)
    expect(forecast?.until).toBe(phase.until)
    await spend('red', 10, 970_000_000)
    const capped = await overview()
    expect((capped.forecast?.high_nano ?? 0) - capped.spent_nano).toBeLessThanOrEqual(10_000_000)
  })
})

describe('attention', () => {
  const kinds = async () =>
    (await read(attentionReplySchema, '/attention')).items.map(({ condition_id: id }) =>
      id.replace(/:\d+$/, ''),
    )
  beforeEach(async () => {
    door.time.now += 60 * minute
    const phase = {
      name: 'contest',
      from: new Date(door.time.now - 60 * minute).toISOString(),
      until: new Date(door.time.now + 60 * minute).toISOString(),
    }
    await door.post('/event/phases', { phases: [phase] }, 'PUT')
    expect(await kinds()).toEqual([])
  })

  test('a budget that will not last, until a grant makes it last', async () => {
    await spend('red', 10, 400_000_000)
    expect(await kinds()).toEqual([])
    await spend('red', 10, 200_000_000)
    expect(await kinds()).toEqual(['budget_runs_dry:red'])
    await door.post('/team/red/grant', { amount_nano: 1_000_000_000, reason: 'more' })
    expect(await kinds()).toEqual([])
  })

  test('a cap that will be exceeded', async () => {
    await spend('red', 10, 300_000_000)
    expect(await kinds()).toEqual([])
    await door.post('/event', { cap_nano: 500_000_000 }, 'PUT')
    expect(await kinds()).toEqual(['event_cap_forecast'])
  })

  test('a team that is refused often, with the limit, for ten minutes at most', async () => {
    await refuse('red', 0, 4)
    expect(await kinds()).toEqual([])
    await refuse('red', 0, 21)
    expect((await read(attentionReplySchema, '/attention')).items).toMatchObject([
      {
        kind: 'refused_often',
        text: 'Team red: 25 of 25 calls were refused in the last ten minutes, most with rpm_exceeded.',
      },
    ])
    door.time.now += 10 * minute
    expect(await kinds()).toEqual([])
  })

  test('a board that an organiser has locked during a phase', async () => {
    await log('red', 1)
    await door.post('/team/lock', { team_id: 'red' })
    expect(await kinds()).toEqual(['board_locked:red'])
    door.time.now += 60 * minute
    expect(await kinds()).toEqual([])
  })
})
