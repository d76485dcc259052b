// One exchange with the vendor: what is tried again, with which key, and what never is.
import { expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { failureOf } from '../../store/testing/failure-of.ts'
import { testBounds } from '../testing/test-bounds.ts'
import { testTimeouts } from '../testing/test-timeouts.ts'
import { createGeminiClient } from './gemini-client.ts'

type Answer = Response | Error

const refuse = (status: number, retryDelay?: string) =>
  Response.json(
    { error: { code: status, details: retryDelay === undefined ? [] : [{ retryDelay }] } },
    { status },
  )

function setUp(...answers: readonly Answer[]) {
  const keys: (string | null)[] = []
  const waits: number[] = []
  let turn = 0
  const client = createGeminiClient({
    fetch: async (_, init) => {
      keys.push(new Headers(init.headers).get('x-goog-api-key'))
      const answer = answers[keys.length - 1]
      if (answer instanceof Response) return answer
      throw answer ?? new Error('Not expected.')
    },
    baseUrl: 'http://vendor',
    keys: { next: () => ({ id: 'any', secret: `key-${(turn++ % 2) + 1}` }) },
    timeouts: testTimeouts,
    bounds: testBounds,
    maximumRetries: 2,
    wait: async milliseconds => {
      waits.push(milliseconds)
    },
    random: () => 0,
  })
  return {
    call: () => client.call({ path: 'models/m:generateContent', body: {}, endpoint: 'chat', signal: null }),
    keys,
    waits,
  }
}

const noConnection = () => Object.assign(new Error('Unable to connect.'), { code: 'ConnectionRefused' })
const broken = () => Object.assign(new Error('The socket was closed.'), { code: 'ConnectionClosed' })
const codeOf = async (call: Promise<unknown>) => {
  const failure = await failureOf(call)
  return failure instanceof ApiError ? failure.code : String(failure)
}

test('a refusal is tried again with the next key, and its answer counts', async () => {
  const { call, keys, waits } = setUp(refuse(503), noConnection(), Response.json({ ok: 1 }))
  expect(await call()).toEqual({ ok: 1 })
  expect(keys).toEqual(['key-1', 'key-2', 'key-1'])
  expect(waits).toEqual([125, 250])
})

test('after two further tries the last failure is told', async () => {
  const { call, keys } = setUp(refuse(500), refuse(429), refuse(503))
  expect(await codeOf(call())).toBe('upstream_overloaded')
  expect(keys).toHaveLength(3)
})

test('the vendor says when; too late is now', async () => {
  const soon = setUp(refuse(429, '0.1s'), Response.json({}))
  await soon.call()
  expect(soon.waits).toEqual([100])
  const late = setUp(refuse(429, '31s'))
  expect(await codeOf(late.call())).toBe('upstream_rate_limited')
  expect(late.keys).toHaveLength(1)
})

// A guard of money: the call may have been served and billed. It fails when any broken connection is tried again.
test.each([
  ['a connection that broke', broken(), 'upstream_error'],
  ['a time-out', refuse(504), 'upstream_timeout'],
  ['a wrong request', refuse(400), 'upstream_rejected'],
  ['our own key refused', refuse(403), 'upstream_auth'],
] as const)('%s is not tried again', async (_, answer, code) => {
  const { call, keys } = setUp(answer, Response.json({}))
  expect(await codeOf(call())).toBe(code)
  expect(keys).toHaveLength(1)
})
