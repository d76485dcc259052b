// Calls on limits that must ask a database: what their answers wait for, for how long, and what is left when no decision is possible.
import { describe, expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import { emptyEvent } from '../../directory/event/event.ts'
import { buildCall } from '../../http/testing/build-call.ts'
import { nanoDollars } from '../../ledger/money.ts'
import { findLevels } from '../../limits/build-levels.ts'
import { createMemoryLimits } from '../../limits/memory/create-memory-limits.ts'
import type { Limits } from '../../limits/port.ts'
import { buildKey, buildModel, buildTeam } from '../../limits/testing/build-parties.ts'
import { failureOf } from '../../store/testing/failure-of.ts'
import { createFreeCall } from './free-call.ts'
import { createPaidCall } from './paid-call.ts'
import { nothingUncharged } from './testing/nothing-uncharged.ts'

const caller = { team: buildTeam(), key: buildKey({ maxParallelRequests: 1 }) }
const plan = {
  model: buildModel(),
  endpoint: 'chat',
  tokens: { input: 1, output: 1 },
  estimate: { kind: 'fixed', cost: nanoDollars(1000) },
} as const

function setUp(changes: (limits: Limits) => Partial<Limits>) {
  const memory = createMemoryLimits({ clock: () => 0 })
  const timers = new Map<number, () => void>()
  const reports: unknown[] = []
  const charges: unknown[] = []
  let asked = 0
  const dependencies = {
    limits: { ...memory, ...changes(memory) },
    isLedgerHealthy: () => true,
    digestTexts: () => null,
    uncharged: nothingUncharged,
    event: () => emptyEvent,
    observeRefusal: () => undefined,
    observeCharge: () => undefined,
    clock: () => 0,
    reportError: (error: unknown) => reports.push(error),
    after: (milliseconds: number, run: () => void) => {
      timers.set(milliseconds, run)
      return () => timers.delete(milliseconds)
    },
    writer: {
      openStream: async () => undefined,
      dropStream: async () => undefined,
      charge: async (row: unknown, onDurable: () => void) => {
        charges.push(row)
        onDurable()
      },
    },
  }
  const paidCall = createPaidCall(dependencies)
  const freeCall = createFreeCall(dependencies)
  const call = buildCall({ body: null })
  return {
    memory,
    reports,
    timers,
    charges,
    call,
    asked: () => asked,
    /** A call that its upstream refuses. */
    askRefused: () =>
      paidCall(caller, call, {
        plan,
        translate: () => [null],
        ask: async (): Promise<{ usage: { kind: 'absent' } }> => {
          asked += 1
          throw new ApiError('upstream_rejected')
        },
        respond: () => new Response(),
      }),
    askInfo: () => freeCall(caller, call, () => ({ found: true })),
  }
}

/** True if a promise has settled once everything that is ready has run. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  void promise.then(
    () => {
      settled = true
    },
    () => {
      settled = true
    },
  )
  await new Promise(resolve => setImmediate(resolve))
  return settled
}

describe('a call answered without a charge', () => {
  const ways = [
    ['refused by the upstream', 'askRefused'],
    ['for information', 'askInfo'],
  ] as const

  test.each(ways)('%s: its answer waits until the slot is free everywhere', async (_, way) => {
    const freed = Promise.withResolvers<void>()
    const world = setUp(({ release }) => ({
      release: async hold => {
        await freed.promise
        await release(hold)
      },
    }))
    const answer = world[way]()
    expect(await hasSettled(answer)).toBe(false)
    expect(world.memory.totals().slots).toBe(1)
    freed.resolve()
    expect(await hasSettled(answer)).toBe(true)
    expect(world.memory.totals().slots).toBe(0)
    expect([world.timers.size, world.reports, world.charges]).toEqual([0, [], []])
  })

  test.each(ways)('%s: it waits no longer than a second, and its answer is unchanged', async (_, way) => {
    const world = setUp(() => ({ release: () => new Promise<void>(() => undefined) }))
    const answer = world[way]()
    expect(await hasSettled(answer)).toBe(false)
    world.timers.get(1000)?.()
    expect(await hasSettled(answer)).toBe(true)
    const outcome = await answer.then(
      response => response.status,
      error => error.code,
    )
    expect(outcome).toBe(way === 'askInfo' ? 200 : 'upstream_rejected')
  })

  test.each(ways)('%s: a slot that could not be freed is only reported to the operator', async (_, way) => {
    for (const release of [
      () => Promise.reject(new Error('away')),
      () => {
        throw new Error('away')
      },
    ]) {
      const world = setUp(() => ({ release }))
      const outcome = await world[way]().then(
        response => response.status,
        error => error.code,
      )
      expect(outcome).toBe(way === 'askInfo' ? 200 : 'upstream_rejected')
      expect(world.reports).toMatchObject([{ message: 'away' }])
      expect(world.timers.size).toBe(0)
    }
  })
})

test('a call that cannot be decided is refused with a retry time, and leaves no trace', async () => {
  const world = setUp(() => ({ admit: () => Promise.reject(unavailable(2)) }))
  const { callId } = world.call
  expect(world.memory.enter({ callId, levels: findLevels(caller.team, caller.key, null) })).toBeNull()
  const refusal = await failureOf(world.askRefused())
  expect(refusal).toMatchObject({ code: 'unavailable', status: 503, headers: { 'retry-after': '2' } })
  // The door does this for every call that has entered.
  world.memory.leave(callId)
  expect(world.memory.totals()).toEqual({ heldNanoDollars: 0, holds: 0, slots: 0 })
  expect([world.asked(), world.charges, world.reports, world.call.isOnRecord]).toEqual([0, [], [], false])
})
