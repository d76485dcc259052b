// What LiteLLM's clients read with a gateway key: models with prices, the owner of the key, and probes without a key.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { modelGroupListSchema, modelInfoListSchema } from '@fairgate/contracts/info/model-info.ts'
import { ownUserInfoSchema } from '@fairgate/contracts/info/user-info.ts'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
let key = ''
let memberKey = ''
beforeAll(async () => {
  fairgate = await startFairgate()
  const { manage } = fairgate
  key = await manage.team('red', { max_budget: 0 }, { user_id: 'ada', models: ['mm-2.5-flash'] })
  await manage.key('red', { user_id: 'ada', key_alias: 'tower', aliases: { mine: 'mm-2.5-flash' } })
  await manage.key('red', { user_id: 'bob' })
  await manage.team('blue', {}, { user_id: 'ada' })
  const { member_id } = await manage.post<{ member_id: string }>('/people', { team_id: 'red', name: 'Jiwoo' })
  memberKey = await manage.key('red', { member_id })
})
afterAll(() => fairgate.stop())

const get = (path: string, secret = key) =>
  fetch(`${fairgate.gatewayUrl}${path}`, { headers: { authorization: `Bearer ${secret}` } })
async function read<Schema extends TSchema>(schema: Schema, path: string, secret = key) {
  const reply = await get(path, secret)
  const body: unknown = await reply.json()
  expect({ status: reply.status, body }).toMatchObject({ status: 200 })
  if (Value.Check(schema, body)) return body as Static<Schema>
  throw new Error(`The reply does not keep to its schema: ${JSON.stringify(body)}`)
}

test('only the models of the key, although the budget is spent', async () => {
  for (const path of ['/model/info', '/v1/model/info']) {
    const { data } = await read(modelInfoListSchema, path)
    expect(data.map(({ model_name }) => model_name)).toEqual(['mm-2.5-flash'])
    // 0.30 and 2.50 USD a million tokens in config/models.yaml.
    expect(data).toMatchObject([
      { model_info: { mode: 'chat', input_cost_per_token: 3e-7, output_cost_per_token: 2.5e-6 } },
    ])
  }
  const { data: groups } = await read(modelGroupListSchema, '/model_group/info')
  expect(groups).toMatchObject([{ model_group: 'mm-2.5-flash', input_cost_per_token: 3e-7 }])
  expect((await get('/model/info?litellm_model_id=mm-2.5-pro')).status).toBe(404)
})

test('the owner of the key, with their keys in this team only', async () => {
  const ada = await read(ownUserInfoSchema, '/user/info')
  expect(ada).toMatchObject({ user_id: 'ada', user_info: { teams: ['red'] }, teams: [{ team_id: 'red' }] })
  expect(ada.keys).toHaveLength(2)
  expect(JSON.stringify(ada)).not.toContain(Bun.SHA256.hash(key, 'hex'))
  expect(await read(ownUserInfoSchema, '/user/info?user_id=ada')).toEqual(ada)
  const jiwoo = await read(ownUserInfoSchema, '/user/info', memberKey)
  expect(jiwoo).toMatchObject({ user_info: { user_alias: 'Jiwoo' }, keys: [{}] })
  for (const id of ['bob', 'nobody', jiwoo.user_id])
    expect((await get(`/user/info?user_id=${id}`)).status).toBe(404)
})

test('probes need no key, on every door', async () => {
  for (const url of [fairgate.gatewayUrl, fairgate.adminUrl, fairgate.logbookUrl]) {
    for (const path of ['/health/liveliness', '/health/liveness'])
      expect(await (await fetch(`${url}${path}`)).json()).toBe("I'm alive!")
    const ready = await fetch(`${url}/health/readiness`)
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'healthy', db: 'connected' }])
  }
})
