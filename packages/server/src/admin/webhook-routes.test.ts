// Webhooks through the admin door: replies and refusals.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  newWebhookReplySchema,
  removedWebhookSchema,
  testedWebhookSchema,
  webhookEventNames,
  webhookListSchema,
} from '@fairgate/contracts/management/webhooks.ts'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { openAdminDoor, type Reply } from './testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
beforeEach(async () => {
  door = await openAdminDoor()
})
afterEach(() => door.close())

function readBody<Schema extends TSchema>(schema: Schema, { status, body }: Reply): Static<Schema> {
  expect({ status, body }).toMatchObject({ status: 200 })
  if (Value.Check(schema, body)) return body
  throw new Error(`The reply does not keep to its schema: ${JSON.stringify(body)}`)
}
const add = async (body: object) => readBody(newWebhookReplySchema, await door.post('/webhooks', body))
const list = async () => readBody(webhookListSchema, await door.get('/webhooks'))

test('a webhook is created, listed without its secret, tested and removed', async () => {
  const made = await add({ url: 'https://hooks.example/services/T0/secret-path' })
  expect(made).toMatchObject({
    url: 'https://hooks.example/…path',
    kind: 'json',
    events: [...webhookEventNames],
  })
  expect(made.secret).toMatch(/^whsec_[0-9a-f]{64}$/)
  const listed = await list()
  expect(listed.items).toMatchObject([
    { webhook_id: made.webhook_id, waiting: 0, sent: 0, last_sent_at: null },
  ])
  expect(JSON.stringify(listed)).not.toMatch(/whsec_|secret-/)
  const tested = readBody(testedWebhookSchema, await door.post(`/webhooks/${made.webhook_id}/test`, {}))
  expect(tested).toMatchObject({ ok: true, status: 204, error: null })
  // The address was checked, and the name is not resolved again.
  expect(door.sent).toMatchObject([
    {
      url: 'https://93.184.216.34/services/T0/secret-path',
      init: { redirect: 'manual', headers: { host: 'hooks.example' } },
    },
  ])
  readBody(removedWebhookSchema, await door.remove(`/webhooks/${made.webhook_id}?reason=over`))
  expect((await list()).items).toEqual([])
})

test('more than twenty webhooks are refused', async () => {
  for (let count = 0; count < 20; count += 1) await add({ url: 'https://hooks.example/' })
  expect(await door.post('/webhooks', { url: 'https://hooks.example/' })).toMatchObject({
    status: 409,
    body: { error: { code: 'conflict' } },
  })
})

test.each([
  ['no address', {}, 'url'],
  ['an address in the internal network', { url: 'https://10.0.0.1/' }, 'url'],
  ['an unknown form', { url: 'https://hooks.example/', kind: 'teams' }, 'kind'],
  ['an unknown event', { url: 'https://hooks.example/', events: ['lunch'] }, 'events'],
  ['no event', { url: 'https://hooks.example/', events: [] }, 'events'],
  ['its own secret', { url: 'https://hooks.example/', secret: 'x' }, 'secret'],
])('%s is refused', async (_name, body, param) => {
  const reply = await door.post('/webhooks', body)
  expect(reply).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } })
  expect(JSON.stringify(reply.body)).toContain(param)
  expect((await list()).items).toEqual([])
})

test.each(['GET', 'DELETE'])('%s of an unknown webhook', async method => {
  const reply = await (method === 'GET'
    ? door.post('/webhooks/wh_none/test', {})
    : door.remove('/webhooks/wh_none'))
  expect(reply).toMatchObject({
    status: 404,
    body: { error: { code: 'webhook_not_found', param: 'webhook_id' } },
  })
})
