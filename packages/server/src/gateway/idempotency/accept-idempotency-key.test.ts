// Checks the steps between charge and answer: nothing leaves before it is kept, and a failing store causes no second call.
import { beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import Type from 'typebox'
import { emptyEvent } from '../../directory/event/event.ts'
import type { AnswerKeeper, Call } from '../../http/call.ts'
import type { Route } from '../../http/route.ts'
import { serverSentEventsResponse } from '../../http/server-sent-events.ts'
import { buildCall } from '../../http/testing/build-call.ts'
import { createMemoryLimits } from '../../limits/memory/create-memory-limits.ts'
import { buildKey, buildTeam } from '../../limits/testing/build-parties.ts'
import type { ClaimOutcome, EndCallInput } from '../../store/statements/idempotent-calls.ts'
import { StoreUnavailable } from '../../store/store-unavailable.ts'
import { failureOf } from '../../store/testing/failure-of.ts'
import { createByteBudget } from '../../upstream/reply-limits.ts'
import type { Caller } from '../flow/authenticate.ts'
import { createAcceptIdempotencyKey } from './accept-idempotency-key.ts'

const caller: Caller = { team: buildTeam(), key: buildKey() }
let made: number
let claims: number
let ended: EndCallInput[]
let unkept: string[]
let refunded: string[]
let isHealthy: boolean
let claim: () => Promise<ClaimOutcome>
let end: () => Promise<boolean>
/** Ends the wait before the next attempt. */
let retry: () => void
beforeEach(() => {
  made = 0
  claims = 0
  ended = []
  unkept = []
  refunded = []
  isHealthy = true
  claim = async () => ({ kind: 'claimed' })
  end = async () => true
  retry = () => undefined
})

/** The wrapped handler of a route that answers with `answer`. */
function wrap(answer: (call: Call<never, never>) => Response | Promise<Response>): () => Promise<Response> {
  const route: Route<Caller> = {
    method: 'POST',
    path: '/v1/paid',
    tag: 'Paid',
    summary: 'Paid',
    replies: { 200: Type.Object({}) },
    errors: [],
    handle: (_, call) => {
      made += 1
      return answer(call)
    },
  }
  const accept = createAcceptIdempotencyKey({
    limits: createMemoryLimits({ clock: () => 0 }),
    event: () => emptyEvent,
    observeRefusal: () => undefined,
    after: () => () => undefined,
    reportError: () => undefined,
    idempotentCalls: {
      read: { readIdempotentReply: async () => null },
      write: {
        claimIdempotentCall: () => {
          claims += 1
          return claim()
        },
        endIdempotentCall: input => {
          ended.push(input)
          return end()
        },
      },
    },
    isLedgerHealthy: () => isHealthy,
    processId: () => 'process-1',
    refundLostAnswer: async callId => {
      refunded.push(callId)
    },
    waitToRetry: () =>
      new Promise(resolve => {
        retry = () => resolve(true)
      }),
    recording: { maxBytes: 1000, recordedBytes: createByteBudget(2000) },
    clock: () => 0,
    reportUnkeptReply: (_, callId) => unkept.push(callId),
  })
  const wrapped = accept(route)
  return async () =>
    wrapped.handle(caller, buildCall({ body: {} as never, headers: { 'idempotency-key': 'one' } }))
}

async function tryAgain(): Promise<void> {
  retry()
  await new Promise(resolve => setImmediate(resolve))
}

/** True if it has settled once everything that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  void promise.finally(() => {
    settled = true
  })
  await new Promise(resolve => setImmediate(resolve))
  return settled
}

// Each shown to fail by not awaiting `keep` (accept-idempotency-key.ts) or `finish` (record-stream.ts).
describe('an answer waits until it is stored', () => {
  test('a complete answer, and an error', async () => {
    for (const answer of [
      () => Response.json({ text: 'Hello' }),
      () => {
        throw new ApiError('content_policy_violation', { headers: { 'x-gateway-response-cost': '1' } })
      },
    ]) {
      const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()]
      end = () => {
        begun.resolve()
        return gate.promise
      }
      const reply = wrap(answer)().catch(() => 'refused')
      await begun.promise
      expect(await isSettled(reply)).toBe(false)
      gate.resolve(true)
      await reply
    }
    expect(ended.map(({ reply }) => [reply?.status, reply?.headers])).toEqual([
      [200, '{"content-type":"application/json;charset=utf-8"}'],
      [400, '{"content-type":"application/json;charset=utf-8","x-gateway-response-cost":"1"}'],
    ])
  })

  test('only the last event of a stream', async () => {
    const gate = Promise.withResolvers<boolean>()
    end = () => gate.promise
    async function* write() {
      yield 'data: 1\n\n'
      yield 'data: [DONE]\n\n'
    }
    const response = await wrap(() => serverSentEventsResponse(write()))()
    const reader = response.body?.getReader()
    const read = async () => new TextDecoder().decode((await reader?.read())?.value)
    expect(await read()).toBe('data: 1\n\n')
    const last = read()
    expect(await isSettled(last)).toBe(false)
    gate.resolve(true)
    expect(await last).toBe('data: [DONE]\n\n')
    expect(new TextDecoder().decode(ended[0]?.reply?.body)).toBe('data: 1\n\ndata: [DONE]\n\n')
  })
})

test('while charges wait to be written no key is claimed: it is unknown whether its call was charged', async () => {
  isHealthy = false
  const call = wrap(() => Response.json({}))
  expect(await failureOf(call())).toMatchObject({ code: 'unavailable' })
  expect([claims, made]).toEqual([0, 0])
})

// Shown to fail by trying again with what the client got (`unavailable` kept in accept-idempotency-key.ts).
test('a call with a late charge returns its key, or keeps it without an answer, once the charge is written', async () => {
  const call = wrap(() => {
    isHealthy = false
    throw new ApiError('unavailable')
  })
  end = async () => isHealthy
  expect(await failureOf(call())).toMatchObject({ code: 'unavailable' })
  expect(ended).toMatchObject([{ mayForget: false }])
  await tryAgain()
  isHealthy = true
  await tryAgain()
  expect(ended.slice(1)).toMatchObject([
    { mayForget: false, reply: null },
    { mayForget: true, reply: null },
  ])
  await tryAgain()
  expect(ended).toHaveLength(3)
})

// Shown to fail by answering `lost` for it.
test('a call that lost its answer with its process is refunded, and the key makes another call', async () => {
  const claimed: ClaimOutcome[] = [{ kind: 'unanswered', callId: 'dead' }, { kind: 'claimed' }]
  claim = async () => claimed.shift() ?? { kind: 'running' }
  expect((await wrap(() => Response.json({}))()).status).toBe(200)
  expect([refunded, claims, made]).toEqual([['dead'], 2, 1])
})

// Shown to fail by giving the key back with the 503 (`isKeeping` left out in accept-idempotency-key.ts).
test('a late answer keeps its key until it is on record; one without room is refunded', async () => {
  let isWithin = true
  const ends: string[] = []
  let keeper: AnswerKeeper | null = null
  const call = wrap(async given => {
    keeper = given.answerKeeper
    const answer = async () => Response.json('x'.repeat(isWithin ? 10 : 4000))
    void keeper?.keep(answer).then(kept => ends.push(kept))
    throw new ApiError('unavailable')
  })
  const written = async () => (keeper as AnswerKeeper | null)?.noteWritten()
  expect(await failureOf(call())).toMatchObject({ code: 'unavailable' })
  expect(await failureOf(call())).toMatchObject({ code: 'idempotency_running' })
  expect(ended).toEqual([])
  await written()
  expect(ended.map(({ reply }) => reply?.body.byteLength)).toEqual([12])
  isWithin = false
  expect(await failureOf(call())).toMatchObject({ code: 'unavailable' })
  await isSettled(Promise.resolve())
  await written()
  expect([ends, ended[1]?.reply]).toEqual([['charge', 'refund'], null])
})

test('a key that cannot be claimed makes no call, and is free for a retry', async () => {
  claim = () => Promise.reject(new Error('disk'))
  const call = wrap(() => Response.json({}))
  expect(await failureOf(call())).toMatchObject({ code: 'unavailable' })
  expect(made).toBe(0)
  claim = async () => ({ kind: 'claimed' })
  expect((await call()).status).toBe(200)
})

test('a key is returned if its claim may have succeeded after all', async () => {
  claim = () => Promise.reject(new Error('connection lost'))
  expect(await failureOf(wrap(() => Response.json({}))())).toMatchObject({ code: 'unavailable' })
  await tryAgain()
  expect(ended).toMatchObject([{ call: { callId: 'call-1' }, reply: null, mayForget: true }])
})

test('a key is refused while its call runs on another process', async () => {
  claim = async () => ({ kind: 'running' })
  const refused = await failureOf(wrap(() => Response.json({}))())
  expect(refused).toMatchObject({ code: 'idempotency_running', headers: { 'retry-after': '1' } })
  expect([made, ended]).toEqual([0, []])
})

// Shown to fail by leaving out `noteLater` in call-ends.ts: the key would stay that of a running call.
test('an answer that cannot be stored is sent anyway, reported once, and stored as soon as possible', async () => {
  end = () => Promise.reject(new Error('disk'))
  expect((await wrap(() => Response.json({ text: 'Hello' }))()).status).toBe(200)
  await tryAgain()
  end = async () => true
  await tryAgain()
  await tryAgain()
  expect(unkept).toEqual(['call-1'])
  expect(ended).toHaveLength(3)
  expect(new TextDecoder().decode(ended[2]?.reply?.body)).toBe('{"text":"Hello"}')
})

test('waiting answers take no more room than recordings may; others are not stored', async () => {
  const call = wrap(() => Response.json('x'.repeat(400)))
  // Twice: recorded answers no longer take room.
  for (let round = 0; round < 2; round += 1) {
    end = () => Promise.reject(new Error('disk'))
    for (let count = 0; count < 4; count += 1) await call()
    ended = []
    end = async () => true
    await tryAgain()
    expect(ended.map(({ reply }) => reply?.body.byteLength ?? null)).toEqual([402, 402, 402, null])
  }
})

test('an unavailable database is not queried for each waiting call', async () => {
  const away = () => Promise.reject(new StoreUnavailable('database_unavailable', null))
  end = away
  const call = wrap(() => Response.json({}))
  for (let count = 0; count < 3; count += 1) await call()
  ended = []
  await tryAgain()
  expect(ended).toHaveLength(1)
  end = async () => true
  await tryAgain()
  expect(ended).toHaveLength(4)
})
