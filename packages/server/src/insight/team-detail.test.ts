// The members that GET /team/info adds with `detail=true`: limits in use, spend, refusals with their reasons, and the lights.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { organiserTeamInfoSchema } from '@fairgate/contracts/console/team-detail.ts'
import { Value } from 'typebox/value'
import { openAdminDoor } from '../admin/testing/open-admin-door.ts'
import { buildCallFacts, buildCallRecord, buildCharge } from '../store/testing/build-ledger-rows.ts'
import { charge } from '../store/testing/suite/store-actions.ts'
import { countRefusals } from './team-detail.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
let hash = ''

beforeEach(async () => {
  door = await openAdminDoor()
  const team = { team_id: 'red', max_budget: 1, rpm_limit: 30, budget_duration: '1d' }
  await door.post('/team/new', team)
  const { body } = await door.post('/key/generate', {
    ...{ team_id: 'red', key_alias: 'laptop', max_budget: 0.5, tpm_limit: 900, max_parallel_requests: 4 },
  })
  hash = new Bun.CryptoHasher('sha256').update((body as { key: string }).key).digest('hex')
})
afterEach(() => door.close())

function idAt(unixMs: number, number: number): string {
  const hex = unixMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`
}

async function readDetail() {
  const { status, body } = await door.get('/team/info?team_id=red&detail=true')
  expect({ status, body }).toMatchObject({ status: 200 })
  if (Value.Check(organiserTeamInfoSchema, body)) return body
  throw new Error(`The reply does not keep to its schema: ${JSON.stringify(body)}`)
}

describe('a team without calls', () => {
  test('has all its limits with nothing used, and nothing spent or refused', async () => {
    const detail = await readDetail()
    const idle = { used: 0, held: 0 }
    const ofKey = { level: 'key', key: hash, model: null, ...idle } as const
    const ofTeam = { level: 'team', key: null, model: null, ...idle } as const
    expect(detail.limits_now).toEqual([
      { ...ofTeam, kind: 'budget', limit: 1_000_000_000, frees_at: expect.any(String) },
      { ...ofKey, kind: 'budget', limit: 500_000_000, frees_at: null },
      { ...ofKey, kind: 'parallel', limit: 4, frees_at: null },
      { ...ofTeam, kind: 'requests', limit: 30, frees_at: null, peak: 0 },
      { ...ofKey, kind: 'tokens', limit: 900, frees_at: null, peak: 0 },
    ])
    expect(detail).toMatchObject({
      team_info: { team_id: 'red' },
      state: 'not_started',
      lights: { key: { s: 'ok' } },
      spend_by: { model: [], key: [], person: [], day: [] },
      refusals_1h: [],
      coverage: { share: null, none: { nano: 0, count: 0 }, logged_only: { sessions: 0, entries: 0 } },
    })
  })

  test('has no detail unless it is requested', async () => {
    const plain = await door.get('/team/info?team_id=red')
    expect(Object.keys(plain.body as object)).toEqual([
      'team_id',
      'team_info',
      'keys',
      'team_memberships',
      'uncharged',
    ])
    expect((await door.get('/team/info?team_id=red&detail=perhaps')).status).toBe(400)
  })
})

test('calls are summed by model, key, person and day, and refusals show the newest reason', async () => {
  door.time.now += 60_000
  const now = door.time.now
  await charge(
    door.store,
    buildCharge(idAt(now - 5000, 1), {
      ...{ teamId: 'red', keyHash: hash, cost: 7000, admittedAt: now - 5000, settledAt: now - 4000 },
      facts: buildCallFacts({}),
    }),
  )
  door.spend(hash, 7000)
  const refusal = { level: 'team', limit: '30', used: '30', held: '0', reset: null }
  const refused = { teamId: 'red', keyHash: hash, outcome: 'refused', code: 'rpm_exceeded', refusal } as const
  await door.store.write.recordCalls({
    calls: [buildCallRecord(idAt(now - 3000, 2), { ...refused, count: 3, receivedAt: now - 3000 })],
  })
  const detail = await readDetail()
  expect(detail.spend_by).toMatchObject({
    model: [
      { cost_nano: 7000, calls: 1, refused: 3 },
      { cost_nano: 0, refused: 3 },
    ].slice(0, 1),
    key: [{ key: hash, key_alias: 'laptop', cost_nano: 7000, calls: 1, refused: 3 }],
    person: [{ member_id: null, cost_nano: 7000 }],
    day: [{ cost_nano: 7000, calls: 1 }],
  })
  expect(detail.limits_now?.find(({ kind, level }) => kind === 'budget' && level === 'key')).toMatchObject({
    used: 7000,
  })
  expect(detail.refusals_1h).toEqual([
    {
      ...{ code: 'rpm_exceeded', count: 3, top_key: hash, top_key_alias: 'laptop', top_key_count: 3 },
      text: expect.stringContaining('30'),
    },
  ])
})

test('refusals are counted by code, the most frequent first, with the key that has most of them', () => {
  const sums = [
    { code: 'tpm_exceeded', keyHash: 'a', refused: 2 },
    { code: 'rpm_exceeded', keyHash: 'b', refused: 4 },
    { code: 'rpm_exceeded', keyHash: 'a', refused: 4 },
    { code: '', keyHash: 'a', refused: 0 },
  ]
  expect(countRefusals(sums)).toEqual([
    { code: 'rpm_exceeded', count: 8, topKey: 'a', topCount: 4 },
    { code: 'tpm_exceeded', count: 2, topKey: 'a', topCount: 2 },
  ])
})
