// Spend for organisers: sums, series, forecast, proof, exports, and refusals.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { exportedSpendSchema } from '@fairgate/contracts/spend/spend-export.ts'
import { spendForecastSchema } from '@fairgate/contracts/spend/spend-forecast.ts'
import { spendProofSchema } from '@fairgate/contracts/spend/spend-proof.ts'
import { spendReportSchema, spendSeriesSchema } from '@fairgate/contracts/spend/spend-report.ts'
import { sql } from 'kysely'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { Charge } from '../../ledger/charge.ts'
import { refundOf } from '../../ledger/refund.ts'
import { buildCallRecord, buildCharge } from '../../store/testing/build-ledger-rows.ts'
import { charge } from '../../store/testing/suite/store-actions.ts'
import { openAdminDoor } from '../testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
const keys: Record<string, string> = {}
beforeEach(async () => {
  door = await openAdminDoor()
  for (const team of ['red', 'blue']) {
    await door.post('/team/new', { team_id: team, team_alias: `Team ${team}`, max_budget: 1 })
    const { body } = await door.post('/key/generate', { team_id: team, key_alias: `${team}-laptop` })
    keys[team] = new Bun.CryptoHasher('sha256').update((body as { key: string }).key).digest('hex')
  }
})
afterEach(() => door.close())

const at = (time: string) => Date.parse(`2026-11-21T${time}Z`)

function idAt(unixMs: number, number: number): string {
  const hex = unixMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`
}

let numbers = 0
function buildSpend(team: string, time: string, cost: number, changes: Partial<Charge> = {}): Charge {
  numbers += 1
  const admittedAt = at(time)
  const keyHash = keys[team] ?? ''
  const callId = idAt(admittedAt, numbers)
  return buildCharge(callId, {
    teamId: team,
    keyHash,
    cost,
    admittedAt,
    settledAt: admittedAt + 500,
    ...changes,
  })
}

async function refuseCall(team: string, time: string, code: string, count = 1): Promise<void> {
  numbers += 1
  const receivedAt = at(time)
  const call = buildCallRecord(idAt(receivedAt, numbers), {
    ...{ teamId: team, keyHash: keys[team] ?? '', outcome: 'refused', code, count, receivedAt },
    modelServed: null,
  })
  await door.store.write.recordCalls({ calls: [call] })
}

async function read<Schema extends TSchema>(schema: Schema, path: string): Promise<Static<Schema>> {
  const { status, body } = await door.get(path)
  expect({ status, body }).toMatchObject({ status: 200 })
  if (Value.Check(schema, body)) return body
  throw new Error(`The reply does not keep to its schema: ${JSON.stringify(body)}`)
}
const report = (query = '') => read(spendReportSchema, `/spend${query}`)
const series = (query = '') => read(spendSeriesSchema, `/series/spend${query}`)

async function fill(): Promise<void> {
  await charge(
    door.store,
    buildSpend('red', '10:01:00', 300),
    buildSpend('red', '10:14:00', 200, { modelId: 'model-2' }),
    buildSpend('blue', '10:02:00', 100),
    buildSpend('blue', '12:00:00', 50),
  )
  await refuseCall('blue', '10:03:00', 'rpm_exceeded', 7)
  await refuseCall('blue', '10:04:00', 'model_not_found', 2)
}

describe('sums', () => {
  test('by team, with names, the highest first, and the total of all', async () => {
    await fill()
    expect(await report()).toMatchObject({
      by: 'team',
      from: null,
      until: null,
      items: [
        { team_id: 'red', team_alias: 'Team red', calls: 2, refused: 0, cost_nano: 500 },
        { team_id: 'blue', team_alias: 'Team blue', calls: 2, refused: 9, cost_nano: 150 },
      ],
      next: null,
      total: { count: 2, calls: 4, refused: 9, cost_nano: 650, exact: true },
    })
  })

  test('by key, model and refusal', async () => {
    await fill()
    expect((await report('?by=key')).items).toMatchObject([
      { team_id: 'red', key: keys.red, key_alias: 'red-laptop', cost_nano: 500 },
      { team_id: 'blue', key: keys.blue, key_alias: 'blue-laptop', cost_nano: 150 },
    ])
    expect((await report('?by=model')).items).toEqual([
      { model: 'model-1', calls: 3, refused: 7, cost_nano: 450 },
      { model: 'model-2', calls: 1, refused: 0, cost_nano: 200 },
      { model: null, calls: 0, refused: 2, cost_nano: 0 },
    ])
    expect((await report('?by=code')).items).toEqual([
      { code: 'rpm_exceeded', calls: 0, refused: 7, cost_nano: 0 },
      { code: 'model_not_found', calls: 0, refused: 2, cost_nano: 0 },
    ])
  })

  test('by member: all keys of a member together, deleted ones too, and keys without a member as one item', async () => {
    await fill()
    const { body: person } = await door.post('/people', { team_id: 'red', name: 'Haeun' })
    const { member_id } = person as { member_id: string }
    await door.post('/key/update', { key: keys.red, member_id })
    const { body: made } = await door.post('/key/generate', {
      team_id: 'red',
      member_id,
      key_alias: 'second',
    })
    const second = new Bun.CryptoHasher('sha256').update((made as { key: string }).key).digest('hex')
    await door.post('/key/generate', { team_id: 'red', key_alias: 'nobody' })
    const { body: listed } = await door.get('/key/list?team_id=red')
    const nobody = JSON.stringify(listed)
      .match(/[0-9a-f]{64}/g)
      ?.find(hash => hash !== keys.red && hash !== second)
    await charge(
      door.store,
      buildSpend('red', '10:20:00', 1000, { keyHash: second }),
      buildSpend('red', '10:21:00', 10, { keyHash: nobody ?? '' }),
    )
    const items = [
      {
        team_id: 'red',
        team_alias: 'Team red',
        member_id,
        member_name: 'Haeun',
        calls: 3,
        refused: 0,
        cost_nano: 1500,
      },
      { member_id: null, member_name: null, calls: 3, refused: 9, cost_nano: 160 },
    ]
    expect((await report('?by=member')).items).toEqual(items)
    const rows = await door.download('/spend/export.ndjson?team_id=red')
    expect(rows.text).toContain(`"member_id":"${member_id}","member_name":"Haeun"`)
    expect((await door.download('/spend/export.csv?team_id=red')).text).toContain(`"${member_id}","Haeun"`)
    await door.post('/key/delete', { keys: [second] })
    expect((await report('?by=member')).items).toEqual(items)
    expect((await report('?by=member&team_id=blue')).items).toMatchObject([
      { member_id: null, cost_nano: 150 },
    ])
    const first = await report('?by=member&limit=1')
    expect((await report(`?by=member&limit=1&after=${first.next}`)).items).toEqual(items.slice(1))
    expect((await series('?by=member&step=1d')).series.map(({ member_name }) => member_name)).toEqual([
      'Haeun',
      null,
    ])
  })

  test('over a range that begins and ends within a bucket, and with filters', async () => {
    await fill()
    const range = '?from=2026-11-21T10:01:30Z&until=2026-11-21T12:00:00Z'
    expect(await report(range)).toMatchObject({
      from: '2026-11-21T10:01:30.000Z',
      until: '2026-11-21T12:00:00.000Z',
      total: { calls: 2, cost_nano: 300 },
    })
    expect((await report('?until=2026-11-21T12:00:00.001Z&team_id=blue')).total.cost_nano).toBe(150)
    expect((await report('?key=red-laptop&by=model')).items).toHaveLength(2)
    expect((await report('?model=model-2')).total).toMatchObject({ count: 1, cost_nano: 200 })
  })

  test('a refund is subtracted where its charge was made', async () => {
    const call = buildSpend('red', '10:01:00', 300)
    await charge(door.store, call)
    const refund = {
      callId: refundOf(call.callId),
      cost: -300,
      outcome: 'refunded',
      settledAt: at('11:30:00'),
    } as const
    await charge(door.store, { ...call, ...refund })
    expect((await report('?until=2026-11-21T10:05:00Z')).total).toMatchObject({ calls: 1, cost_nano: 0 })
  })

  test('pages show each group once', async () => {
    await fill()
    const first = await report('?by=model&limit=2')
    expect(first.items.map(({ model }) => model)).toEqual(['model-1', 'model-2'])
    expect(first.total.count).toBe(3)
    const second = await report(`?by=model&limit=2&after=${first.next}`)
    expect(second.items.map(({ model }) => model)).toEqual([null])
    expect(second.next).toBeNull()
  })

  test('invalid queries are refused', async () => {
    const refusals = [
      ['?by=colour', 'invalid_request'],
      ['?team=red', 'invalid_request'],
      ['?team_id=nobody', 'team_not_found'],
      ['?key=nobody', 'key_not_found'],
      ['?from=2026-11-21', 'invalid_request'],
      ['?from=2026-11-21T10:00:00Z&until=2026-11-21T10:00:00Z', 'invalid_request'],
      ['?after=x', 'invalid_request'],
      ['?limit=501', 'invalid_request'],
    ]
    for (const [query, code] of refusals) {
      const { status, body } = await door.get(`/spend${query}`)
      expect({ query, status: status >= 400, body }).toMatchObject({
        query,
        status: true,
        body: { error: { code } },
      })
    }
  })
})

describe('over time', () => {
  test('points for steps with calls, gaps for steps without', async () => {
    await fill()
    door.time.now = at('12:15:00')
    expect(await series('?step=10m')).toMatchObject({
      step: '10m',
      time_zone: 'UTC',
      from: '2026-11-21T10:00:00.000Z',
      series: [
        {
          cost_nano: 650,
          points: [
            { at: '2026-11-21T10:00:00.000Z', calls: 2, refused: 9, cost_nano: 400 },
            { at: '2026-11-21T10:10:00.000Z', calls: 1, refused: 0, cost_nano: 200 },
            { at: '2026-11-21T12:00:00.000Z', calls: 1, refused: 0, cost_nano: 50 },
          ],
        },
      ],
      gaps: [
        { from: '2026-11-21T10:20:00.000Z', until: '2026-11-21T12:00:00.000Z' },
        { from: '2026-11-21T12:10:00.000Z' },
      ],
      total: { count: 1, calls: 4, refused: 9, cost_nano: 650 },
    })
  })

  test('one series for each team, in the days of a time zone', async () => {
    await charge(
      door.store,
      buildSpend('red', '14:59:00', 1),
      buildSpend('red', '15:00:00', 2),
      buildSpend('blue', '15:30:00', 9),
    )
    door.time.now = at('16:00:00')
    const found = await series('?step=1d&by=team&time_zone=Asia/Seoul')
    expect(
      found.series.map(({ team_id, points }) => [
        team_id,
        points.map(({ at: start, cost_nano }) => [start, cost_nano]),
      ]),
    ).toEqual([
      ['blue', [['2026-11-21T15:00:00.000Z', 9]]],
      [
        'red',
        [
          ['2026-11-20T15:00:00.000Z', 1],
          ['2026-11-21T15:00:00.000Z', 2],
        ],
      ],
    ])
  })

  test('no calls give an empty series', async () => {
    expect(await series()).toMatchObject({ from: null, until: null, series: [], gaps: [] })
  })

  test('too many steps and an unknown time zone are refused', async () => {
    await fill()
    for (const query of ['?step=5m&from=2026-01-01T00:00:00Z', '?time_zone=Mars/Olympus', '?step=7m']) {
      expect(await door.get(`/series/spend${query}`)).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_request' } },
      })
    }
  })
})

test('the forecast shows which budgets run out, the earliest first', async () => {
  door.time.now = Date.now()
  const now = door.time.now
  const callId = (minutes: number) => idAt(now - minutes * 60_000, 1)
  const call = { teamId: 'red', keyHash: keys.red ?? '', admittedAt: now }
  await charge(door.store, buildCharge(callId(30), { ...call, cost: 100_000_000 }))
  door.spend(keys.red ?? '', 100_000_000)
  const { items } = await read(spendForecastSchema, '/spend/forecast')
  expect(items.map(({ team_id, verdict }) => [team_id, verdict])).toEqual([
    ['red', 'runs_dry'],
    ['blue', 'lasts'],
  ])
  const [red] = items
  expect(red).toMatchObject({ budget_nano: 1_000_000_000, spent_nano: 100_000_000, left_nano: 900_000_000 })
  expect((await door.get('/spend/forecast?team_id=nobody')).status).toBe(404)
})

describe('the proof', () => {
  const prove = (query = '') => read(spendProofSchema, `/spend/verify${query}`)

  test('all totals match their rows', async () => {
    await fill()
    expect(await prove()).toMatchObject({ ok: true, teams: 2, owners: 8, rows: 4, wrong: [], wrong_count: 0 })
    expect(await prove('?team_id=red')).toMatchObject({ ok: true, teams: 1, rows: 2 })
    expect((await door.get('/spend/verify?team_id=nobody')).status).toBe(404)
  })

  test('a corrected call counts as corrected in report, series, export and proof', async () => {
    await fill()
    const call = buildSpend('red', '10:20:00', 1000)
    await charge(door.store, call)
    const refund = { amount_nano: 30, reason: 'a useless answer' }
    expect((await door.post(`/calls/${call.callId}/refund`, refund)).status).toBe(200)
    expect(await report('?by=team&team_id=red')).toMatchObject({ total: { calls: 3, cost_nano: 1470 } })
    const within = '?from=2026-11-21T10:19:30Z&until=2026-11-21T10:21:00Z'
    expect(await report(`${within}&by=team`)).toMatchObject({ total: { calls: 1, cost_nano: 970 } })
    const { text } = await door.download(`/spend/export.ndjson${within}`)
    const rows = text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    // On the previous build, refunds had no row, and the file did not add up to the spend.
    expect(rows).toMatchObject([
      { call_id: call.callId, cost_nano: 1000, adjustment_id: null, count: 1 },
      { call_id: call.callId, cost_nano: -30, outcome: 'refunded', reason: 'a useless answer', count: 0 },
    ])
    const rest = await door.download(`/spend/export.ndjson${within}&after=${rows[0].cursor}`)
    expect(rest.text.trim()).toBe(JSON.stringify(rows[1]))
    expect((await door.download(`/spend/export.ndjson${within}&after=${rows[1].cursor}`)).text).toBe('')
    expect(await prove()).toMatchObject({ ok: true, wrong: [] })
  })

  test('a proof continues where the last one ended, for a day', async () => {
    await fill()
    expect(await prove()).toMatchObject({ rows: 4, rows_before: 0 })
    const call = buildSpend('red', '10:20:00', 1000)
    await charge(door.store, call)
    // It is before the proven point, so its team is summed from the first row on.
    expect(await prove()).toMatchObject({ ok: true, rows: 5, rows_before: 1 })
    // All but the call of the last ten minutes.
    expect(await prove()).toMatchObject({ ok: true, rows: 5, rows_before: 4 })
    await door.post(`/calls/${call.callId}/refund`, { amount_nano: 30, reason: 'a useless answer' })
    expect(await prove()).toMatchObject({ ok: true, wrong: [] })
    await sql`update charges set cost_nano = 1001 where cost_nano = 1000`.execute(door.db)
    expect(await prove()).toMatchObject({ ok: true, rows_before: 4 })
    const wrong = { ok: false, rows: 6, rows_before: 0 }
    expect(await prove('?whole=true')).toMatchObject(wrong)
    // A known error is never skipped by an earlier proven point.
    expect(await prove()).toMatchObject({ ok: false, rows: 6 })
    await sql`update charges set cost_nano = 1000 where cost_nano = 1001`.execute(door.db)
    expect(await prove()).toMatchObject({ ok: true })
    await sql`update charges set cost_nano = 1001 where cost_nano = 1000`.execute(door.db)
    expect(await prove()).toMatchObject({ ok: true })
    door.time.now += 24 * 3_600_000 + 1
    expect(await prove()).toMatchObject(wrong)
  })

  // Each of these fails without the comparison of its kind.
  test('a changed total, row or report sum is found and named', async () => {
    await fill()
    await sql`update totals set lifetime_nano = lifetime_nano + 1 where owner = 'team:red'`.execute(door.db)
    expect(await prove()).toMatchObject({
      ok: false,
      wrong: [{ team_id: 'red', owner: 'team:red', total_nano: 501, rows_nano: 500 }],
    })
    await sql`update totals set lifetime_nano = lifetime_nano - 1 where owner = 'team:red'`.execute(door.db)
    await sql`update charges set cost_nano = 101 where team_id = 'blue' and cost_nano = 100`.execute(door.db)
    const owners = [`key:${keys.blue}`, `key_model:${keys.blue}:model-1`]
    expect((await prove('?whole=true')).wrong.map(({ owner }) => owner).sort()).toEqual([
      ...owners,
      `report:key_model:${keys.blue}:model-1`,
      'team:blue',
    ])
    await sql`update charges set cost_nano = 100 where cost_nano = 101`.execute(door.db)
    await sql`update spend_buckets set cost_nano = 0 where team_id = 'red' and model_id = 'model-2'`.execute(
      door.db,
    )
    expect((await prove()).wrong).toEqual([
      { team_id: 'red', owner: `report:key_model:${keys.red}:model-2`, total_nano: 0, rows_nano: 200 },
    ])
  })

  test('a call served by a fallback counts in the budget of the requested model, and is no fault', async () => {
    await charge(
      door.store,
      buildSpend('red', '10:00:00', 70, { modelId: 'model-2', budgetModelId: 'model-1' }),
    )
    expect(await prove()).toMatchObject({ ok: true, by_fallback: 2 })
  })
})

describe('exports', () => {
  const ndjson = async (query = '') => {
    const { status, text, headers } = await door.download(`/spend/export.ndjson${query}`)
    expect(status).toBe(200)
    const rows = text
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line) as unknown)
    return { headers, rows: rows.map(row => Value.Parse(exportedSpendSchema, row)) }
  }

  test('each charge and refund once, adding up to the spend, from any position', async () => {
    await fill()
    const { rows, headers } = await ndjson()
    expect(headers.get('content-disposition')).toBe('attachment; filename="fairgate-spend.ndjson"')
    expect(rows.map(({ team_id, cost_nano, cost_usd }) => [team_id, cost_nano, cost_usd])).toEqual([
      ['blue', 100, '0.000000100'],
      ['blue', 50, '0.000000050'],
      ['red', 300, '0.000000300'],
      ['red', 200, '0.000000200'],
    ])
    for (const [index, { cursor }] of rows.entries())
      expect((await ndjson(`?after=${cursor}`)).rows).toEqual(rows.slice(index + 1))
    expect((await ndjson('?team_id=red&from=2026-11-21T10:10:00Z')).rows).toEqual(rows.slice(3))
  })

  test('refused calls are included on request', async () => {
    await fill()
    const { rows } = await ndjson('?refused=true&team_id=blue')
    expect(rows.map(({ outcome, code, count }) => [outcome, code, count])).toEqual([
      ['completed', null, 1],
      ['refused', 'rpm_exceeded', 7],
      ['refused', 'model_not_found', 2],
      ['completed', null, 1],
    ])
  })

  test('in CSV no cell is a formula, and a byte order mark marks it as UTF-8 for Excel', async () => {
    await door.post('/key/generate', { team_id: 'red', key_alias: '=1+1' })
    const { body } = await door.get('/key/list?team_id=red')
    const evil = JSON.stringify(body)
      .match(/[0-9a-f]{64}/g)
      ?.find(hash => hash !== keys.red)
    const call = buildSpend('red', '10:00:00', 5, { keyHash: evil ?? '' })
    await charge(door.store, call, { ...call, callId: refundOf(call.callId), cost: -5, outcome: 'refunded' })
    const { text, headers } = await door.download('/spend/export.csv?bom=true')
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    const [header, row, refund] = text.split('\r\n')
    expect(header).toStartWith('\ufeff"call_id","adjustment_id","reason"')
    expect(row).toContain('"\'=1+1"')
    expect(refund).toContain(',-5,-0.000000005,')
  })

  test('an invalid position is refused', async () => {
    for (const path of [
      '/spend/export.csv?after=x',
      '/spend/export.ndjson?until=now',
      '/spend/export.csv?team_id=nobody',
    ])
      expect((await door.get(path)).status).toBeGreaterThanOrEqual(400)
  })
})
