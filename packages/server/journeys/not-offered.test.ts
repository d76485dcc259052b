// suite: 5 s
// Paths of other APIs at which nothing is offered: each says in its dialect what to use instead, to callers with a key only.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { notOffered } from '../src/gateway/not-offered.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
let key: string
beforeAll(async () => {
  fairgate = await startFairgate()
  key = await fairgate.manage.team('curious')
})
afterAll(() => fairgate.stop())

const ask = (path: string, headers: Readonly<Record<string, string>>, method = 'POST') =>
  fetch(fairgate.gatewayUrl + path, { method, headers, ...(method === 'GET' ? {} : { body: '{}' }) })

const credential = (dialect: string, secret: string): Readonly<Record<string, string>> =>
  dialect === 'openai'
    ? { authorization: `Bearer ${secret}` }
    : { 'x-api-key': secret, 'x-vendor-api-key': secret }

/** Below a path of the table, or at it if it has a verb; the path itself may be a route. */
function listAddresses(path: string): string[] {
  const address = path.replace('/:model::', '/mm-2.5-flash:').replace('/:video_id', '/video_1')
  if (path.includes('::')) return [address]
  return path === '/v1/chat/completions' ? [`${address}/x`] : [address, `${address}/x/y`]
}

for (const { path, dialect, message } of notOffered) {
  test(`${path}: ${message}`, async () => {
    const error = { message, code: 'not_offered' }
    const expected = {
      openai: { error: { ...error, type: 'not_found_error', param: null } },
      anthropic: { type: 'error', error: { ...error, type: 'not_found_error', param: null } },
      vendor: {
        error: {
          code: 404,
          message,
          status: 'NOT_FOUND',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'not_offered',
              domain: 'fairgate',
            },
          ],
        },
      },
    }[dialect]
    for (const address of listAddresses(path)) {
      for (const method of ['POST', 'GET', 'DELETE']) {
        const response = await ask(address, credential(dialect, key), method)
        expect(response.status).toBe(404)
        expect(await response.json()).toMatchObject(expected)
      }
    }
  })
}

test('only for callers with a key', async () => {
  for (const [path, dialect] of [
    ['/v1/batches', 'openai'],
    ['/v1/messages/batches/x', 'anthropic'],
    ['/vendor/v1beta/cachedContents', 'vendor'],
  ] as const)
    expect((await ask(path, credential(dialect, 'sk-wrong'))).status).toBe(401)
})

test('other spellings of a path', async () => {
  const bearer = { authorization: `Bearer ${key}` }
  const vendor = { 'x-goog-api-key': key }
  const codes = [
    [await ask('/completions', bearer), 'Text completions'],
    [await ask('/v1beta/cachedContents/x', vendor), 'Cached contents'],
    [await ask('/vendor/v1/batches', { 'x-vendor-api-key': key }), 'Batches'],
    [await ask('/v1beta/models/mm-2.5-flash:batchGenerateContent', vendor), 'Batches'],
    [
      await ask('/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent', vendor),
      'The Live',
    ],
  ] as const
  for (const [response, start] of codes) {
    const { error } = (await response.json()) as { readonly error: { readonly message: string } }
    expect([response.status, error.message.slice(0, start.length)]).toEqual([404, start])
  }
})

test('what is offered next to it still works, and an unknown path is still unknown', async () => {
  const bearer = { authorization: `Bearer ${key}` }
  expect((await ask('/v1/models', bearer, 'GET')).status).toBe(200)
  expect((await ask('/v1/chat/completions', bearer, 'GET')).status).toBe(405)
  expect(await (await ask('/v1/nothing', bearer)).json()).toMatchObject({ error: { code: 'not_found' } })
})

test("OpenAI's client shows the sentence", async () => {
  const client = new OpenAI({ apiKey: key, baseURL: `${fairgate.gatewayUrl}/v1`, maxRetries: 0 })
  const failed = await client.moderations.create({ input: 'x' }).catch(error => error)
  expect(failed).toBeInstanceOf(OpenAI.NotFoundError)
  expect(failed.message).toContain('Ask a chat model to classify the text')
})

test('the reference lists all of them', async () => {
  const page = await (await fetch(`${fairgate.gatewayUrl}/docs`)).text()
  for (const { message } of notOffered) expect(page).toContain(message.replaceAll("'", '&#39;'))
})
