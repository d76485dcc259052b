// Grants, refunds and adjustments through the admin door: effects, bounds, and that a repeated one counts once.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { generatedKeySchema } from '@fairgate/contracts/management/key-bodies.ts'
import { Value } from 'typebox/value'
import { nanoDollars } from '../ledger/money.ts'
import { buildCharge, emptyBatch } from '../store/testing/build-ledger-rows.ts'
import { openAdminDoor } from './testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
const callId = '019e2f6a-4c1b-7d3e-8f00-5a6b7c8d9e0f'

beforeEach(async () => {
  door = await openAdminDoor()
  await door.post('/team/new', { team_id: 'red', max_budget: 20 })
  const { body } = await door.post('/key/generate', { team_id: 'red' })
  if (!Value.Check(generatedKeySchema, body)) throw new Error('There is a key.')
  const charge = buildCharge(callId, {
    teamId: 'red',
    keyHash: body.token,
    cost: nanoDollars(1000),
    admittedAt: door.time.now,
  })
  await door.store.write.commitLedger({ ...emptyBatch, charges: [charge] })
  door.spend(body.token, 1000)
})
afterEach(() => door.close())

const reason = 'the upstream was down'
const spend = async () => {
  const { body } = await door.get('/team/info?team_id=red')
  return body
}
const refused = (status: number, code: string, param: string | null) => ({
  status,
  body: { error: { code, param } },
})

test('a call is refunded in part, then in full, and never more', async () => {
  const refund = (body: object) => door.post(`/calls/${callId}/refund`, { reason, ...body })
  expect(await refund({ amount_nano: 400 })).toMatchObject({
    status: 200,
    body: { team_id: 'red', amount_nano: -400, charged_nano: 1000, left_nano: 600 },
  })
  expect(await spend()).toMatchObject({ team_info: { spend: 0.0000006 } })
  expect(await refund({ amount_nano: 601 })).toMatchObject(refused(400, 'invalid_request', 'amount_nano'))
  expect(await refund({})).toMatchObject({ status: 200, body: { amount_nano: -600, left_nano: 0 } })
  expect(await spend()).toMatchObject({ team_info: { spend: 0 } })
  expect(await refund({})).toMatchObject(refused(409, 'conflict', null))
  expect((await door.readAudit()).slice(-2)).toMatchObject([
    { action: 'call.refund', target: callId, team_id: 'red', reason, actor: 'admin' },
    { action: 'call.refund', before: { left_nano: 600 }, after: { left_nano: 0 } },
  ])
})

test('an adjustment raises or lowers spend, never below zero, and a repeated one counts once', async () => {
  const adjust = (amount_nano: number, id?: string) =>
    door.post(`/calls/${callId}/adjust`, { reason, amount_nano, adjustment_id: id })
  expect(await adjust(500, 'fix-1')).toMatchObject({ body: { adjustment_id: 'fix-1', left_nano: 1500 } })
  expect(await adjust(500, 'fix-1')).toMatchObject(refused(409, 'conflict', 'adjustment_id'))
  expect(await spend()).toMatchObject({ team_info: { spend: 0.0000015 } })
  expect(await adjust(-1501)).toMatchObject(refused(400, 'invalid_request', 'amount_nano'))
  expect(await adjust(0)).toMatchObject(refused(400, 'invalid_request', 'amount_nano'))
  expect(await adjust(-1500)).toMatchObject({ body: { left_nano: 0 } })
})

test('a grant raises the budget of the current period and survives a restart', async () => {
  const grant = (body: object) => door.post('/team/red/grant', { reason, ...body })
  expect(await grant({ amount_nano: 5_000_000_000, adjustment_id: 'extra' })).toMatchObject({
    status: 200,
    body: { granted_nano: 5_000_000_000 },
  })
  expect(await grant({ amount_nano: 5_000_000_000, adjustment_id: 'extra' })).toMatchObject(
    refused(409, 'conflict', 'adjustment_id'),
  )
  expect(await grant({ amount_nano: -2_000_000_000 })).toMatchObject({
    body: { granted_nano: 3_000_000_000 },
  })
  expect(await grant({ amount_nano: -3_000_000_001 })).toMatchObject(
    refused(400, 'invalid_request', 'amount_nano'),
  )
  const loaded = await door.load()
  for (const { findTeam } of [door.directory, loaded])
    expect(Number(findTeam('red')?.granted?.amount)).toBe(3_000_000_000)
})

test('a grant that lifts the sum of budgets above the event cap needs confirmation', async () => {
  await door.post('/event', { cap_nano: 25_000_000_000 }, 'PUT')
  const grant = (body: object) => door.post('/teams/grant', { teams: 'all', reason, ...body })
  expect(await grant({ amount_nano: 5_000_000_000 })).toMatchObject({ status: 200, body: { warnings: [] } })
  const more = { amount_nano: 1_000_000_000, dry_run: true }
  expect(await grant(more)).toMatchObject({
    body: {
      warnings: ['The budgets of all teams would add up to $26, more than the cap of $25 for the event.'],
    },
  })
  expect(await door.post('/team/red/grant', { ...more, reason })).toMatchObject({
    body: { warnings: [expect.stringContaining('more than the cap')] },
  })
})

test('a grant ends with its period', async () => {
  await door.post('/team/new', { team_id: 'daily', max_budget: 20, budget_duration: '1d' })
  const grant = (amount_nano: number) => door.post('/team/daily/grant', { reason, amount_nano })
  expect(await grant(5_000_000_000)).toMatchObject({ body: { granted_nano: 5_000_000_000 } })
  door.time.now += 2 * 86_400_000
  expect(await grant(1_000_000_000)).toMatchObject({ body: { granted_nano: 1_000_000_000 } })
  expect(await grant(-2_000_000_000)).toMatchObject(refused(400, 'invalid_request', 'amount_nano'))
})

test.each([
  ['/team/nobody/grant', { amount_nano: 1, reason }, 404, 'team_not_found', 'team_id'],
  ['/team/red/grant', { amount_nano: 0, reason }, 400, 'invalid_request', 'amount_nano'],
  ['/team/red/grant', { amount_nano: 1 }, 400, 'invalid_request', 'reason'],
  ['/team/red/grant', { amount_nano: 0.5, reason }, 400, 'invalid_request', 'amount_nano'],
  ['/calls/nothing/refund', { reason }, 404, 'call_not_found', 'call_id'],
  [`/calls/${callId}/refund`, { amount_nano: -1, reason }, 400, 'invalid_request', 'amount_nano'],
  [`/calls/${callId}/adjust`, { reason }, 400, 'invalid_request', 'amount_nano'],
])('%s with %j is refused', async (path, body, status, code, param) => {
  expect(await door.post(path, body)).toMatchObject(refused(status, code, param))
})

test('a grant to a team without a budget is refused', async () => {
  await door.post('/team/update', { team_id: 'red', max_budget: null })
  const reply = await door.post('/team/red/grant', { amount_nano: 1, reason })
  expect(reply).toMatchObject(refused(400, 'invalid_request', 'amount_nano'))
})
