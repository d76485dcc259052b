// Series for charts: calls, refusals, latency and entries, and refusals of the route itself.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { entriesSeriesSchema, latencySeriesSchema } from '@fairgate/contracts/console/series.ts'
import { spendSeriesSchema } from '@fairgate/contracts/spend/spend-report.ts'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { buildEntryToAppend, packTestEntries, sender } from '../../store/testing/build-entry-to-append.ts'
import { buildCallFacts, buildCallRecord, buildCharge } from '../../store/testing/build-ledger-rows.ts'
import { charge } from '../../store/testing/suite/store-actions.ts'
import { openAdminDoor } from '../testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
beforeEach(async () => {
  door = await openAdminDoor()
  for (const team_id of ['red', 'blue']) await door.post('/team/new', { team_id })
  door.time.now = at('12:00:00')
})
afterEach(() => door.close())

const at = (time: string) => Date.parse(`2026-11-21T${time}Z`)

let numbers = 0
function idAt(unixMs: number): string {
  numbers += 1
  const hex = unixMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${numbers.toString(16).padStart(12, '0')}`
}

async function call(teamId: string, time: string, durationMs: number): Promise<void> {
  const admittedAt = at(time)
  const facts = buildCallFacts({ firstByteMs: 10 })
  await charge(door.store, buildCharge(idAt(admittedAt), { teamId, admittedAt, durationMs, facts }))
}

async function refuse(teamId: string, time: string, code: string, count: number): Promise<void> {
  const receivedAt = at(time)
  const refused = { teamId, outcome: 'refused', code, count, receivedAt, modelServed: null } as const
  await door.store.write.recordCalls({ calls: [buildCallRecord(idAt(receivedAt), refused)] })
}

async function read<Schema extends TSchema>(schema: Schema, path: string): Promise<Static<Schema>> {
  const { status, body } = await door.get(path)
  expect({ status, body }).toMatchObject({ status: 200 })
  if (Value.Check(schema, body)) return body
  throw new Error(`The reply does not keep to its schema: ${JSON.stringify(body)}`)
}

test('calls and refusals, by every filter', async () => {
  await call('red', '11:01:00', 5)
  await refuse('red', '11:02:00', 'rpm_exceeded', 3)
  await refuse('blue', '11:12:00', 'model_not_found', 4)
  const calls = await read(spendSeriesSchema, '/series/calls?by=team')
  expect(calls.series.map(({ team_id, calls: count, refused }) => [team_id, count, refused])).toEqual([
    ['red', 1, 3],
    ['blue', 0, 4],
  ])
  const refusals = await read(spendSeriesSchema, '/series/refusals')
  expect(refusals).toMatchObject({
    by: 'code',
    series: [
      { code: 'model_not_found', refused: 4, points: [{ at: '2026-11-21T11:10:00.000Z', refused: 4 }] },
      { code: 'rpm_exceeded', refused: 3, points: [{ at: '2026-11-21T11:00:00.000Z', refused: 3 }] },
    ],
  })
  const byTeam = await read(spendSeriesSchema, '/series/refusals?by=team&team_id=red')
  expect(byTeam.series.map(({ team_id, refused }) => [team_id, refused])).toEqual([['red', 3]])
})

test('latency of accepted calls, by step', async () => {
  for (const took of [100, 200, 900]) await call('red', '11:01:00', took)
  await call('blue', '11:25:00', 40)
  await refuse('red', '11:45:00', 'rpm_exceeded', 9)
  const all = await read(latencySeriesSchema, '/series/latency')
  expect(all).toMatchObject({
    step: '10m',
    from: '2026-11-21T08:00:00.000Z',
    until: '2026-11-21T12:00:00.000Z',
  })
  expect(all.points).toEqual([
    {
      at: '2026-11-21T11:00:00.000Z',
      calls: 3,
      p50_ms: 200,
      p95_ms: 900,
      first_byte_p50_ms: 10,
      first_byte_p95_ms: 10,
    },
    {
      at: '2026-11-21T11:20:00.000Z',
      calls: 1,
      p50_ms: 40,
      p95_ms: 40,
      first_byte_p50_ms: 10,
      first_byte_p95_ms: 10,
    },
  ])
  expect((await read(latencySeriesSchema, '/series/latency?team_id=blue&step=1h')).points).toMatchObject([
    { at: '2026-11-21T11:00:00.000Z', calls: 1 },
  ])
})

test('entries of all teams or of one', async () => {
  for (const [teamId, times] of [
    ['red', ['11:01:00', '11:02:00', '11:31:00']],
    ['blue', ['11:02:30']],
  ] as const) {
    const entries = times.map(time => buildEntryToAppend(time, { tsMicros: at(time) * 1000 }))
    await door.store.write.appendEntries({
      now: at('11:59:00'),
      requests: [{ teamId, sender, entries: packTestEntries(entries) }],
    })
  }
  const all = await read(entriesSeriesSchema, '/series/entries')
  expect(all.series).toEqual([
    {
      entries: 4,
      points: [
        { at: '2026-11-21T11:00:00.000Z', entries: 3 },
        { at: '2026-11-21T11:30:00.000Z', entries: 1 },
      ],
    },
  ])
  const each = await read(entriesSeriesSchema, '/series/entries?by=team&from=2026-11-21T11:10:00Z')
  expect(each.series.map(({ team_id, entries }) => [team_id, entries])).toEqual([['red', 1]])
  expect((await read(entriesSeriesSchema, '/series/entries?until=2026-11-20T00:00:00Z')).series).toEqual([])
})

test('invalid queries are refused', async () => {
  const refusals = [
    ['/series/latency?step=7m', 'invalid_request'],
    ['/series/latency?step=5m&from=2026-11-01T00:00:00Z', 'invalid_request'],
    ['/series/latency?from=2026-11-21T13:00:00Z', 'invalid_request'],
    ['/series/latency?by=team', 'invalid_request'],
    ['/series/entries?team_id=nobody', 'team_not_found'],
    ['/series/entries?by=tool', 'invalid_request'],
    ['/series/refusals?by=colour', 'invalid_request'],
    ['/series/calls?key=nobody', 'key_not_found'],
  ]
  for (const [path, code] of refusals)
    expect({ path, ...(await door.get(path ?? '')) }).toMatchObject({ path, body: { error: { code } } })
})
