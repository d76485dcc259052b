// The sequence of an order: charge and task first, then the upstream, and a refund on every way out without a video.
import { expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { emptyEvent } from '../../directory/event/event.ts'
import { buildCall } from '../../http/testing/build-call.ts'
import { nanoDollars } from '../../ledger/money.ts'
import { createMemoryLimits } from '../../limits/memory/create-memory-limits.ts'
import { buildKey, buildModel, buildTeam } from '../../limits/testing/build-parties.ts'
import { failureOf } from '../../store/testing/failure-of.ts'
import { createPaidOrder } from './paid-order.ts'
import { nothingUncharged } from './testing/nothing-uncharged.ts'

const price = 400
const model = buildModel({
  modality: 'video',
  price: { tiers: [{ aboveInputTokens: 0, rates: { request: price * 1_000_000 } }] },
})
const team = { kind: 'team', teamId: 'team-1' } as const
const context = buildCall({ body: null })
const away = new Error('the store is away')

type Faults = {
  /** Result of writing the charge: the writer keeps a failed one and writes it later. */
  readonly charge?: Error
  readonly start?: Error
  readonly mark?: Error | false
  /** Results of the refund, attempt by attempt. */
  readonly takeBack?: (Error | null)[]
}

function setUp({ charge, start, mark, takeBack = [] }: Faults) {
  const steps: string[] = []
  const limits = createMemoryLimits({ clock: () => 1000 })
  const retries: ((isRunning: boolean) => void)[] = []
  let writeLate = (): void => undefined
  const paidOrder = createPaidOrder({
    limits,
    isLedgerHealthy: () => true,
    digestTexts: () => null,
    uncharged: nothingUncharged,
    event: () => emptyEvent,
    observeRefusal: () => undefined,
    observeCharge: () => steps.push('observed'),
    clock: () => 1000,
    newVideoId: () => 'video_1',
    videoDeadlineMs: 60_000,
    expectVideo: due => steps.push(`expected at ${due}`),
    reportError: () => steps.push('reported'),
    after: () => () => undefined,
    waitToRetry: () => new Promise(resolve => retries.push(resolve)),
    writer: {
      openStream: async () => undefined,
      dropStream: async () => undefined,
      charge: async (row, onDurable, task) => {
        steps.push(`charged ${row.cost} with ${task?.taskId} ${task?.state}`)
        if (charge !== undefined) {
          writeLate = onDurable
          throw charge
        }
        onDurable()
      },
    },
    videoWrites: {
      markVideoTaskStarted: async ({ operation, upstreamKey }) => {
        steps.push(`started as ${operation} of ${upstreamKey}`)
        if (mark instanceof Error) throw mark
        return mark ?? true
      },
      failVideoTask: async ({ hidden }) => {
        const fault = takeBack.shift() ?? null
        steps.push(fault === null ? `taken back, hidden: ${hidden}` : 'not taken back')
        if (fault !== null) throw fault
        return { failed: true, refunded: true }
      },
    },
  })
  const order = () =>
    paidOrder({ team: buildTeam({ maxBudget: nanoDollars(price) }), key: buildKey() }, context, {
      plan: {
        model,
        endpoint: 'videos',
        tokens: { input: 0, output: 0 },
        estimate: { kind: 'fixed', cost: nanoDollars(price) },
      },
      units: { request: 1 },
      wish: { prompt: 'Waves', seconds: '8', size: '1280x720' },
      start: async () => {
        steps.push('ordered')
        if (start !== undefined) throw start
        return { operation: 'operations/1', upstreamKey: 'up' }
      },
    })
  return {
    order,
    steps,
    /** Spent and held. */
    money: () => {
      const [spend] = limits.readSpend([{ owner: team, periodStart: Number.NEGATIVE_INFINITY }])
      return [Number(spend?.spent), Number(spend?.held), limits.totals().slots]
    },
    writeLate: async () => {
      writeLate()
      await Bun.sleep(0)
    },
    retry: async (isRunning = true) => {
      retries.shift()?.(isRunning)
      await Bun.sleep(0)
    },
    waits: () => retries.length,
  }
}

const charged = `charged ${price} with video_1 submitting`
const started = 'started as operations/1 of up'
const takenBack = 'taken back, hidden: true'

// Shown to fail by ordering before the charge, and by settling the hold before the outcome is known.
test('an accepted video is charged, ordered, started and spent, in this order', async () => {
  const { order, steps, money } = setUp({})
  const { task, headers } = await order()
  expect(steps).toEqual([charged, 'ordered', started, 'observed', 'expected at 1500'])
  expect(task).toMatchObject({
    state: 'processing',
    operation: 'operations/1',
    upstreamKey: 'up',
    cost: price,
  })
  expect(headers).toMatchObject({ 'x-gateway-response-cost': '0.0000004' })
  expect(money()).toEqual([price, 0, 0])
})

test('a video that the upstream refuses was never spent', async () => {
  const { order, steps, money } = setUp({ start: new ApiError('upstream_rejected') })
  expect(await failureOf(order())).toMatchObject({ code: 'upstream_rejected' })
  expect(steps).toEqual([charged, 'ordered', takenBack])
  expect(money()).toEqual([0, 0, 0])
})

test.each([
  ['could not be reached', away, 'unavailable'],
  ['had ended the task before', false as const, undefined],
])('a video is refunded if the store %s, even though the upstream makes it', async (_, mark, code) => {
  const { order, steps, money } = setUp({ mark })
  expect(((await failureOf(order())) as ApiError).code).toBe(code as 'unavailable')
  expect(steps).toEqual([charged, 'ordered', started, takenBack])
  expect(money()).toEqual([0, 0, 0])
})

test('a video whose charge cannot be written is never ordered; its hold stays until the charge is written and refunded', async () => {
  const { order, steps, money, writeLate } = setUp({ charge: away })
  expect(await failureOf(order())).toMatchObject({ code: 'unavailable' })
  expect([steps, money()]).toEqual([[charged], [0, price, 1]])
  await writeLate()
  expect([steps, money()]).toEqual([
    [charged, takenBack],
    [0, 0, 0],
  ])
})

test('while the store is unavailable the hold stays, and the refund is retried until it succeeds', async () => {
  const { order, steps, money, retry } = setUp({
    start: new ApiError('upstream_error'),
    takeBack: [away, away, null],
  })
  expect(await failureOf(order())).toMatchObject({ code: 'upstream_error' })
  expect(money()).toEqual([0, price, 1])
  await retry()
  expect(money()).toEqual([0, price, 1])
  await retry()
  expect(money()).toEqual([0, 0, 0])
  expect(steps.slice(2)).toEqual(['not taken back', 'reported', 'not taken back', 'reported', takenBack])
})

test('a stopping server leaves the rest to the next start', async () => {
  const { order, retry, waits, steps } = setUp({ start: new ApiError('upstream_error'), takeBack: [away] })
  await failureOf(order())
  await retry(false)
  expect([waits(), steps.at(-1)]).toEqual([0, 'reported'])
})
