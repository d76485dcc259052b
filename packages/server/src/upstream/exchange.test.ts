// One exchange with an upstream: what is sent, what is tried again, with which key, and what never is.
import { describe, expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { failureOf } from '../store/testing/failure-of.ts'
import { Exchange } from './exchange.ts'
import { geminiDialect } from './gemini/create-gemini-upstream.ts'
import { type KeyNews, KeyRing } from './key-ring.ts'
import { openaiDialect } from './openai/create-openai-upstream.ts'
import type { UpstreamRequest } from './send-request.ts'
import { exchangeDependencies } from './testing/exchange-dependencies.ts'
import type { UpstreamTry } from './upstream-tries.ts'

type Answer = Response | Error | ((init: BunFetchRequestInit) => Promise<Response>)

const url = 'http://upstream/v1/some/path'
const dialects = { gemini: geminiDialect, openai: openaiDialect({ 'x-title': 'Fairgate' }) }

function setUp({
  answers,
  dialect = 'gemini',
  keys = ['key-1', 'key-2'],
  ...request
}: Partial<UpstreamRequest> & {
  readonly answers: readonly Answer[]
  readonly dialect?: keyof typeof dialects
  readonly keys?: readonly string[] | null
}) {
  const sent: { readonly url: string; readonly init: BunFetchRequestInit }[] = []
  const waits: number[] = []
  const tries: UpstreamTry[] = []
  const common = exchangeDependencies(waits)
  const news: KeyNews[] = []
  let now = 0
  const exchange = new Exchange(
    {
      ...common,
      fetch: async (url, init) => {
        sent.push({ url, init })
        const answer = answers[sent.length - 1] ?? new Error('Not expected.')
        if (typeof answer === 'function') return answer(init)
        if (answer instanceof Response) return answer
        throw answer
      },
      timeouts: { ...common.timeouts, embeddings: 5 },
      keys:
        keys &&
        new KeyRing(keys, { clock: () => now, random: () => 0, report: reported => news.push(reported) }),
      reportTry: report => tries.push(report),
    },
    dialects[dialect],
  )
  const whole: UpstreamRequest = { url, body: {}, endpoint: 'chat', signal: null, team: 'red', ...request }
  return {
    call: (body: object = {}) => exchange.callJson({ ...whole, body }).then(({ json }) => json),
    open: () => exchange.open(whole),
    sent,
    waits,
    tries,
    news,
    pass: (ms: number) => (now += ms),
    headers: () => sent.map(({ init }) => new Headers(init.headers)),
    keysUsed: () => sent.map(({ init }) => new Headers(init.headers).get('x-goog-api-key')),
  }
}

const refuse = (status: number, retryDelay?: string, message?: string) =>
  Response.json(
    { error: { code: status, message, details: retryDelay === undefined ? [] : [{ retryDelay }] } },
    { status },
  )
const done = () => Response.json({})
const noConnection = () => Object.assign(new Error('Unable to connect.'), { code: 'ConnectionRefused' })
const broken = () => Object.assign(new Error('The socket was closed.'), { code: 'ConnectionClosed' })
const codeOf = async (call: Promise<unknown>) => {
  const failure = await failureOf(call)
  return failure instanceof ApiError ? failure.code : String(failure)
}

describe('the request', () => {
  test('JSON has its type, a form sets its own, and the configured key is sent', async () => {
    const { call, headers, sent } = setUp({
      dialect: 'openai',
      answers: [Response.json({}), Response.json({})],
    })
    await call({ a: 1 })
    await call(new FormData())
    const [first, second] = headers()
    expect([first?.get('content-type'), sent[0]?.init.body]).toEqual(['application/json', '{"a":1}'])
    expect([first?.get('authorization'), first?.get('x-title')]).toEqual(['Bearer key-1', 'Fairgate'])
    expect([second?.has('content-type'), second?.get('authorization')]).toEqual([false, 'Bearer key-2'])
    expect(sent.map(({ url }) => url)).toEqual([url, url])
  })

  test('a server without a key is sent none', async () => {
    const { call, headers } = setUp({ dialect: 'openai', keys: null, answers: [Response.json({})] })
    await call()
    expect(headers()[0]?.has('authorization')).toBe(false)
  })

  test('the key does not follow a redirect', async () => {
    const { call, sent } = setUp({
      answers: [new Response(null, { status: 307, headers: { location: 'http://other/' } })],
    })
    expect(await codeOf(call())).toBe('upstream_error')
    expect([sent.length, sent[0]?.init.redirect]).toEqual([1, 'manual'])
  })
})

describe('retries', () => {
  test('a refusal is retried with the next key, and its answer counts', async () => {
    const { call, keysUsed, waits, tries } = setUp({
      answers: [refuse(503), noConnection(), Response.json({ ok: 1 })],
    })
    expect(await call()).toEqual({ ok: 1 })
    expect(keysUsed()).toEqual(['key-1', 'key-2', 'key-1'])
    expect(waits).toEqual([125, 250])
    expect(tries.map(({ outcome, willRetry }) => [outcome, willRetry])).toEqual([
      ['upstream_overloaded', true],
      ['upstream_error', true],
      ['ok', false],
    ])
  })

  test('after two retries the last failure is reported', async () => {
    const { call, sent } = setUp({ answers: [refuse(500), refuse(502), refuse(503)] })
    expect(await codeOf(call())).toBe('upstream_overloaded')
    expect(sent).toHaveLength(3)
  })

  test('after the wait that the vendor names; not at all if that is too long', async () => {
    const soon = setUp({ keys: ['key-1'], answers: [refuse(429, '0.1s'), Response.json({})] })
    await soon.call()
    expect(soon.waits).toEqual([100])
    const late = setUp({ keys: ['key-1'], answers: [refuse(429, '31s')] })
    expect(await codeOf(late.call())).toBe('upstream_rate_limited')
    expect(late.sent).toHaveLength(1)
  })

  test('a server of the other kind names the wait in a header', async () => {
    const busy = Response.json({}, { status: 429, headers: { 'retry-after': '2' } })
    const { call, waits } = setUp({ dialect: 'openai', keys: ['key-1'], answers: [busy, Response.json({})] })
    await call()
    expect(waits).toEqual([2000])
  })

  // A guard of money: the call may have been served and billed. Fails if any broken connection is tried again.
  test.each([
    ['a connection that broke', broken(), 'upstream_error'],
    ['a time-out', refuse(504), 'upstream_timeout'],
    ['a wrong request', refuse(400), 'upstream_rejected'],
    [
      'a model that our key may not use',
      refuse(403, undefined, 'No permission for models/x'),
      'upstream_auth',
    ],
  ] as const)('%s is not', async (_, answer, code) => {
    const { call, sent } = setUp({ answers: [answer, Response.json({})] })
    expect(await codeOf(call())).toBe(code)
    expect(sent).toHaveLength(1)
  })

  // A guard of money: an order that failed in another way may be on its way.
  test.each([
    ['a full queue', refuse(429), 2],
    ['an overload', refuse(503), 2],
    ['a failure', refuse(500), 1],
    ['a gateway before it', refuse(502), 1],
    ['a connection that could not be made', noConnection(), 1],
  ] as const)('of an order: %s', async (_, answer, tries) => {
    const { call, sent } = setUp({ repeatable: 'order', answers: [answer, Response.json({})] })
    await call().catch(() => undefined)
    expect(sent).toHaveLength(tries)
  })

  test('objects of one key are requested with that key, once', async () => {
    const { call, keysUsed } = setUp({
      key: { id: 'own', secret: 'own-key' },
      repeatable: 'never',
      answers: [refuse(503)],
    })
    expect(await codeOf(call())).toBe('upstream_overloaded')
    expect(keysUsed()).toEqual(['own-key'])
  })
})

describe('a rejected key', () => {
  test.each([
    ['refused', refuse(403), 'refused', 5000],
    ['unknown', refuse(401), 'refused', 5000],
    ['too busy', refuse(429), 'busy', 1000],
    ['too busy, with the wait', refuse(429, '31s'), 'busy', 31_000],
  ] as const)(
    '%s: the call continues with the next key at once, and the key rests',
    async (_, answer, fault, restMs) => {
      const { call, keysUsed, waits, tries, news } = setUp({
        answers: [answer, Response.json({ ok: 1 }), Response.json({ ok: 2 })],
      })
      expect(await call()).toEqual({ ok: 1 })
      expect(await call()).toEqual({ ok: 2 })
      expect(keysUsed()).toEqual(['key-1', 'key-2', 'key-2'])
      expect(waits).toEqual([])
      expect(tries.map(({ outcome, movesOn }) => [outcome, movesOn])).toEqual([
        [fault === 'refused' ? 'upstream_auth' : 'upstream_rate_limited', true],
        ['ok', false],
        ['ok', false],
      ])
      expect(news).toMatchObject([{ state: 'resting', fault, restMs, team: 'red' }])
    },
  )

  test('also for a server of the other kind and for an order; each attempt has the whole time', async () => {
    const spent = Response.json({ error: { code: 'insufficient_quota' } }, { status: 429 })
    const own = setUp({ dialect: 'openai', answers: [spent, Response.json({})] })
    await own.call()
    expect(own.news).toMatchObject([{ fault: 'exhausted', restMs: 60_000 }])
    const order = setUp({ repeatable: 'order', answers: [refuse(403), Response.json({ ok: 1 })] })
    expect(await order.call()).toEqual({ ok: 1 })
  })

  test('moving on does not count as another attempt', async () => {
    const { call, keysUsed, waits } = setUp({
      keys: ['a', 'b', 'c'],
      answers: [refuse(403), refuse(403), refuse(503), refuse(500), Response.json({ ok: 1 })],
    })
    expect(await call()).toEqual({ ok: 1 })
    expect(keysUsed()).toEqual(['a', 'b', 'c', 'c', 'c'])
    expect(waits).toEqual([125, 250])
  })

  test('if no key is left the failure is reported as before, and the next call is still tried', async () => {
    const { call, sent, keysUsed } = setUp({
      answers: [refuse(403), refuse(401), refuse(401), Response.json({ ok: 1 })],
    })
    expect(await codeOf(call())).toBe('upstream_auth')
    expect(sent).toHaveLength(2)
    expect(await codeOf(call())).toBe('upstream_auth')
    expect(await call()).toEqual({ ok: 1 })
    expect(keysUsed()).toHaveLength(4)
  })

  test('one call tries it again after its pause, and continues with the other key if it fails', async () => {
    const { call, keysUsed, pass, news } = setUp({
      answers: [refuse(403), done(), done(), refuse(403), done(), done()],
    })
    await call()
    await call()
    pass(5000)
    await call()
    await call()
    expect(keysUsed()).toEqual(['key-1', 'key-2', 'key-2', 'key-1', 'key-2', 'key-2'])
    expect(news).toHaveLength(1)
  })

  test('it rests for all teams at once only if the upstream says that the key is not valid', async () => {
    const revoked = refuse(403, undefined, 'Your API key was reported as leaked.')
    const own = setUp({ answers: [revoked, done()] })
    await own.call()
    expect(own.news).toMatchObject([{ fault: 'refused', team: null }])
  })

  // A guard of money: things that belong to a key are not available to another.
  test('its objects are not requested with another key', async () => {
    const { call, sent } = setUp({
      key: { id: 'own', secret: 'own-key' },
      answers: [refuse(403), Response.json({})],
    })
    expect(await codeOf(call())).toBe('upstream_auth')
    expect(sent).toHaveLength(1)
  })
})

test('each kind of call has its own time-out', async () => {
  const hang = (init: BunFetchRequestInit) =>
    new Promise<Response>((_, reject) => {
      init.signal?.addEventListener('abort', () => reject(new Error('Aborted.')))
    })
  expect(await codeOf(setUp({ answers: [hang], endpoint: 'embeddings' }).call())).toBe('upstream_timeout')
})

test('an error inside a stream does not reveal the key either', async () => {
  const stream = await setUp({ dialect: 'openai', answers: [new Response('data: {}')] }).open()
  const failure = stream.mapError(400, { error: { message: 'Key key-1 is slow' } })
  expect(failure.message).toBe('The model provider refused the request: Key [key] is slow')
  stream.close()
})

test('a stream closed midway stops the upstream; one read to its end has nothing to stop', async () => {
  const reply = () => new Response('data: {}\n\n')
  for (const [isReadWhole, isAborted] of [
    [false, true],
    [true, false],
  ]) {
    const { open, sent } = setUp({ answers: [reply()] })
    const stream = await open()
    while (isReadWhole && !(await stream.read()).done);
    stream.close()
    expect(sent[0]?.init.signal?.aborted).toBe(isAborted)
  }
})
