// Checks what a streamed reply sends while its upstream is silent, and when this server has to end it.
import { describe, expect, test } from 'bun:test'
import { emptyEvent } from '../../directory/event/event.ts'
import { eventsOf, keepAliveMs, streamOf } from '../../http/server-sent-events.ts'
import { buildCall } from '../../http/testing/build-call.ts'
import { createStreamTimers } from '../../http/testing/stream-timers.ts'
import { nanoDollars } from '../../ledger/money.ts'
import { createMemoryLimits } from '../../limits/memory/create-memory-limits.ts'
import { buildKey, buildModel, buildTeam } from '../../limits/testing/build-parties.ts'
import { failureOf } from '../../store/testing/failure-of.ts'
import type { Admitted } from './admitted.ts'
import type { FlowDependencies } from './held-call.ts'
import { chargeHold } from './meter.ts'
import { type AnswerInPieces, createPaidStream } from './paid-stream.ts'
import { nothingUncharged } from './testing/nothing-uncharged.ts'

const plan = {
  model: buildModel(),
  endpoint: 'chat',
  tokens: { input: 1, output: 1 },
  estimate: { kind: 'fixed', cost: nanoDollars(1000) },
} as const

/** An answer of one piece, after which its upstream is silent until it ends. */
function answerOnce(keepAlive?: () => string) {
  const silence = Promise.withResolvers<null>()
  const pieces: (string | Promise<null>)[] = ['data: one\n\n', silence.promise]
  const answer = (measure: AnswerInPieces['measure']): AnswerInPieces => ({
    measure,
    usages: () => [],
    open: async () => undefined,
    close: () => undefined,
    begin: async () => ({}),
    next: async () => (await pieces.shift()) ?? null,
    isWhole: () => false,
    end: () => 'data: [DONE]\n\n',
    fail: error => ({ error, bytes: 'broken' }),
    ...(keepAlive === undefined ? {} : { keepAlive }),
  })
  return { answer, endSilence: () => silence.resolve(null) }
}

const streamParts: FlowDependencies = {
  limits: createMemoryLimits({ clock: () => 0 }),
  isLedgerHealthy: () => true,
  digestTexts: () => null,
  uncharged: nothingUncharged,
  event: () => emptyEvent,
  observeRefusal: () => undefined,
  observeCharge: () => undefined,
  clock: () => 0,
  reportError: () => undefined,
  after: () => () => undefined,
  writer: {
    openStream: async () => undefined,
    dropStream: async () => undefined,
    charge: async (_, onDurable) => onDurable(),
  },
}
const runPaidStream = createPaidStream(streamParts)

test.each([
  ['a comment', undefined, ': keep-alive\n\n'],
  ['what its dialect has for it', () => 'event: ping\n\n', 'event: ping\n\n'],
])('while the upstream is silent the client is sent %s', async (_, keepAlive, sign) => {
  const { timers, pass } = createStreamTimers()
  const { answer, endSilence } = answerOnce(keepAlive)
  const response = await runPaidStream({ team: buildTeam(), key: buildKey() }, buildCall({ body: null }), {
    plan,
    translate: admitted => answer(() => chargeHold(admitted, 'not_metered')),
  })
  /** How often the client has waited for more: for the first piece, the silent one, and again after each keep-alive. */
  let waits = 0
  const waited = [1, 2, 3, 4].map(() => Promise.withResolvers<void>())
  const timeout = (seconds: number) => {
    if (seconds === 0) waited[waits++]?.resolve()
  }
  const server = Bun.serve({
    port: 0,
    fetch: () => {
      streamOf(response)?.guard({ timeout, timers }, { stalledSeconds: 60, longestMs: 600_000 })
      return response
    },
  })
  const reading = fetch(server.url).then(reply => reply.text())
  await waited[1]?.promise
  pass(keepAliveMs)
  await waited[2]?.promise
  pass(keepAliveMs)
  await waited[3]?.promise
  endSilence()
  expect(await reading).toBe(`data: one\n\n${sign}${sign}data: [DONE]\n\n`)
  await server.stop(true)
})

// Shown to fail without the rest: `resting` is then empty.
test('among a thousand open streams each is read once in 200 ms, after its first events', async () => {
  let now = 0
  const resting: { readonly milliseconds: number; readonly run: () => void }[] = []
  const runMany = createPaidStream({
    ...streamParts,
    limits: createMemoryLimits({ clock: () => 0 }),
    clock: () => now,
    after: (milliseconds, run) => {
      resting.push({ milliseconds, run })
      return () => undefined
    },
  })
  const caller = { team: buildTeam(), key: buildKey() }
  const streams = await Promise.all(
    Array.from({ length: 1000 }, async (_, index) => {
      const pieces = ['data: one\n\n', 'data: two\n\n']
      const { answer } = answerOnce()
      const response = await runMany(caller, buildCall({ body: null, callId: `call-${index}` }), {
        plan,
        translate: admitted => ({
          ...answer(() => chargeHold(admitted, 'not_metered')),
          next: async () => pieces.shift() ?? null,
        }),
      })
      return eventsOf(response)
    }),
  )
  const [stream] = streams
  now = 500
  expect(await stream?.next()).toEqual({ done: false, value: 'data: one\n\n' })
  now = 530
  const second = stream?.next()
  expect(resting.map(({ milliseconds }) => milliseconds)).toEqual([170])
  resting[0]?.run()
  expect(await second).toEqual({ done: false, value: 'data: two\n\n' })
  await Promise.all(streams.map(each => each?.return()))
})

describe('a stream of a process that others consider dead', () => {
  function run(open: (signal: AbortSignal) => Promise<void>) {
    const outcomes: string[] = []
    const failures: unknown[] = []
    let stop = (): void => undefined
    const answer = (admitted: Admitted): AnswerInPieces => {
      let cut: Promise<never>
      return {
        measure: outcome => {
          outcomes.push(outcome)
          return chargeHold(admitted, 'not_metered')
        },
        usages: () => [],
        open: signal => {
          cut = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
          cut.catch(() => undefined)
          return open(signal)
        },
        close: () => undefined,
        begin: async () => ({}),
        next: () => cut,
        isWhole: () => false,
        end: () => 'data: [DONE]\n\n',
        fail: error => {
          failures.push(error)
          return { error, bytes: 'broken' }
        },
      }
    }
    const runStream = createPaidStream({
      ...streamParts,
      writer: {
        ...streamParts.writer,
        openStream: async (_, served) => {
          stop = served.stop
        },
      },
    })
    const reply = runStream({ team: buildTeam(), key: buildKey() }, buildCall({ body: null }), {
      plan,
      translate: answer,
    })
    return { reply, outcomes, failures, stop: () => stop() }
  }

  // Shown to fail by an empty `stop` in paid-stream.ts: the test does not end.
  test('ends as a failure of this server, with its charge', async () => {
    const { reply, outcomes, failures, stop } = run(async () => undefined)
    const text = (await reply).text()
    stop()
    expect(await text).toBe('broken')
    expect(outcomes).toEqual(['failed'])
    expect(failures).toMatchObject([{ code: 'unavailable' }])
  })

  test('is refused with 503 when its reply has not begun', async () => {
    const { reply, outcomes, stop } = run(
      signal => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    await new Promise(resolve => setImmediate(resolve))
    stop()
    expect(await failureOf(reply)).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '1' } })
    expect(outcomes).toEqual(['failed'])
  })
})
