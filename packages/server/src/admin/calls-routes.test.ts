// The record of calls as organisers read it: all teams or one, with the upstream of a call and the proof of its record.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { organiserCallDetailSchema } from '@fairgate/contracts/calls/call.ts'
import { organiserCallsPageSchema } from '@fairgate/contracts/calls/call-list.ts'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { CallRecord } from '../ledger/call-record.ts'
import { costOf } from '../ledger/price.ts'
import { buildModel } from '../limits/testing/build-parties.ts'
import { buildCallRecord } from '../store/testing/build-ledger-rows.ts'
import { openAdminDoor } from './testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
beforeEach(async () => {
  door = await openAdminDoor()
  await door.post('/team/new', { team_id: 'red' })
  await door.post('/team/new', { team_id: 'blue' })
})
afterEach(() => door.close())

const idOf = (number: number) => `019e2f6a-4c1b-7d3e-8f00-${String(number).padStart(12, '0')}`
const record = (number: number, changes: Partial<CallRecord> = {}) =>
  door.store.write.recordCalls({ calls: [buildCallRecord(idOf(number), { teamId: 'red', ...changes })] })

async function read<Schema extends TSchema>(schema: Schema, path: string): Promise<Static<Schema>> {
  const { status, body } = await door.get(path)
  expect({ status, body }).toMatchObject({ status: 200 })
  if (Value.Check(schema, body)) return body
  throw new Error(`The reply does not keep to its schema: ${JSON.stringify(body)}`)
}
const list = (query = '') => read(organiserCallsPageSchema, `/calls${query}`)
const numbersOf = async (query: string) =>
  (await list(query)).items.map(({ call_id }) => Number(call_id.slice(-12)))

test('calls of all teams and of one team, in pages', async () => {
  await record(1)
  await record(2, { teamId: 'blue', outcome: 'refused', code: 'rpm_exceeded', endpoint: 'messages' })
  await record(3)
  expect(await numbersOf('')).toEqual([3, 2, 1])
  expect(await numbersOf('?team_id=red')).toEqual([3, 1])
  expect(await numbersOf('?outcome=refused&code=rpm_exceeded&endpoint=messages')).toEqual([2])
  const { next_before } = await list('?limit=2')
  expect(next_before).toBe(idOf(2))
  expect(await numbersOf(`?limit=2&before=${next_before}`)).toEqual([1])
})

test('one call, with its upstream and the proof of its record', async () => {
  await record(1, { upstream: 'vendor', upstreamKey: 'k1' })
  const { price_lines, ...call } = await read(organiserCallDetailSchema, `/calls/${idOf(1)}`)
  expect(call).toMatchObject({ upstream: 'vendor', upstream_key: 'k1', has_digests: true, is_sealed: true })
  expect(Buffer.from(call.salt, 'base64')).toHaveLength(16)
  expect(Buffer.from(call.commitment, 'base64')).toHaveLength(32)
  expect((await list()).items).toEqual([call])
  expect(price_lines).toBeNull()
})

test('the price of a call is shown by unit as long as current prices explain its charge', async () => {
  const { id, price } = buildModel()
  const units = { inputText: 3, outputText: 5 }
  const cost = costOf(price, units, 3)
  await record(1, { modelServed: id, units, cost })
  await record(2, { modelServed: id, units, cost: cost + 1 })
  await record(3, { modelServed: id, units, cost, flag: 'estimated' })
  const linesOf = async (number: number) =>
    (await read(organiserCallDetailSchema, `/calls/${idOf(number)}`)).price_lines
  const lines = await linesOf(1)
  expect(lines?.map(({ unit, count }) => [unit, count]).sort()).toEqual([
    ['inputText', 3],
    ['outputText', 5],
  ])
  expect(Math.ceil((lines ?? []).reduce((sum, { amount }) => sum + Number(amount), 0))).toBe(cost)
  expect(await Promise.all([linesOf(2), linesOf(3)])).toEqual([null, null])
})

test('a key is named by its alias, within a team if one is given', async () => {
  const hashes: string[] = []
  for (const team_id of ['red', 'blue']) {
    const { body } = await door.post('/key/generate', { team_id, key_alias: 'laptop' })
    const keyHash = Bun.SHA256.hash((body as { key: string }).key, 'hex')
    hashes.push(keyHash)
    await record(hashes.length, { teamId: team_id, keyHash })
  }
  const [red] = await Promise.all([list('?team_id=red&key=laptop')])
  expect(red.items).toMatchObject([{ key: hashes[0], key_alias: 'laptop' }])
  expect(await numbersOf(`?key=${hashes[1]}`)).toEqual([2])
  const { status, body } = await door.get('/calls?key=laptop')
  expect({ status, body }).toMatchObject({ status: 400, body: { error: { param: 'key' } } })
})

test.each([
  ['/calls?team_id=nobody', 404, 'team_not_found', 'team_id'],
  ['/calls?key=desktop', 404, 'key_not_found', 'key'],
  ['/calls?key=me', 404, 'key_not_found', 'key'],
  ['/calls?team=red', 400, 'invalid_request', 'team'],
  ['/calls?limit=1000', 400, 'invalid_request', 'limit'],
  ['/calls?before=x', 400, 'invalid_request', 'before'],
  ['/calls?from=today', 400, 'invalid_request', 'from'],
  ['/calls/nothing', 404, 'call_not_found', 'call_id'],
])('%s is refused', async (path, status, code, param) => {
  expect(await door.get(path)).toMatchObject({ status, body: { error: { code, param } } })
})
