// One exchange with an OpenAI-compatible server: its key or none, its headers, its wish to wait, its own time-outs.
import { expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { failureOf } from '../../store/testing/failure-of.ts'
import { testBounds } from '../testing/test-bounds.ts'
import { testTimeouts } from '../testing/test-timeouts.ts'
import { createOpenaiClient, readJson } from './openai-client.ts'

function setUp(
  answers: readonly ((init: BunFetchRequestInit) => Response | Promise<Response>)[],
  keys: readonly string[] | null = ['one', 'two'],
) {
  const sent: { url: string; init: BunFetchRequestInit }[] = []
  const waits: number[] = []
  let turn = 0
  const client = createOpenaiClient({
    fetch: async (url, init) => {
      sent.push({ url, init })
      return (answers[sent.length - 1] ?? (() => Response.json({})))(init)
    },
    baseUrl: 'http://server/v1',
    headers: { 'x-title': 'Fairgate' },
    keys: keys && { next: () => ({ id: '', secret: keys[turn++ % keys.length] ?? '' }) },
    timeouts: { ...testTimeouts, embeddings: 5 },
    bounds: testBounds,
    maximumRetries: 2,
    wait: async milliseconds => {
      waits.push(milliseconds)
    },
    random: () => 0,
  })
  const call = (body: object | FormData = {}, endpoint: 'chat' | 'embeddings' = 'chat') =>
    client.call({ path: 'some/path', body, endpoint, signal: null }, readJson)
  const open = () => client.open({ path: 'some/path', body: {}, endpoint: 'chat', signal: null })
  return { call, open, sent, waits, headers: () => sent.map(({ init }) => new Headers(init.headers)) }
}

test('each try takes the next key, and waits as long as the server asks', async () => {
  const busy = () => Response.json({}, { status: 429, headers: { 'retry-after': '2' } })
  const { call, sent, waits, headers } = setUp([busy])
  await call()
  expect(sent.map(({ url }) => url)).toEqual(['http://server/v1/some/path', 'http://server/v1/some/path'])
  expect(headers().map(item => item.get('authorization'))).toEqual(['Bearer one', 'Bearer two'])
  expect(headers().map(item => item.get('x-title'))).toEqual(['Fairgate', 'Fairgate'])
  expect(waits).toEqual([2000])
})

test('a server without a key is sent none', async () => {
  const { call, headers } = setUp([], null)
  await call()
  expect(headers()[0]?.has('authorization')).toBe(false)
})

test('JSON says what it is; a form brings its own type', async () => {
  const { call, headers, sent } = setUp([])
  await call({ a: 1 })
  await call(new FormData())
  expect([headers()[0]?.get('content-type'), sent[0]?.init.body]).toEqual(['application/json', '{"a":1}'])
  expect(headers()[1]?.has('content-type')).toBe(false)
})

test('the key does not follow a redirect', async () => {
  const { call, sent } = setUp([
    () => new Response(null, { status: 307, headers: { location: 'http://other/' } }),
  ])
  expect(await failureOf(call())).toMatchObject({ code: 'upstream_error' })
  expect([sent.length, sent[0]?.init.redirect]).toEqual([1, 'manual'])
})

test('each kind of call has its own time-out', async () => {
  const hang = (init: BunFetchRequestInit) =>
    new Promise<Response>((_, reject) => {
      init.signal?.addEventListener('abort', () => reject(new Error('Aborted.')))
    })
  const failure = await failureOf(setUp([hang]).call({}, 'embeddings'))
  expect(failure instanceof ApiError ? (failure.code as string) : failure).toBe('upstream_timeout')
})

test('an error inside a stream does not tell the key either', async () => {
  const stream = await setUp([() => new Response('data: {}')]).open()
  const failure = stream.mapError(400, { error: { message: 'Key one is slow' } })
  expect(failure.message).toBe('The model provider refused the request: Key [key] is slow')
  stream.close()
})
