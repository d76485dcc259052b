// The contract of every limits engine for slots, and for the display of slots and windows.
import { describe, expect, test } from 'bun:test'
import { nanoDollars } from '../../ledger/money.ts'
import { buildLevels } from '../build-levels.ts'
import type { EarlyRefusal, Refusal } from '../port.ts'
import { buildKey, buildTeam } from './build-parties.ts'
import { day, holdOf, type Port, paying, running, type Suite } from './set-up-engine.ts'

/** Declares these tests within the suite of an engine. */
export function describeSlots({ isShared, setUp }: Suite): void {
  describe('use of windows and slots, as shown to people', () => {
    // Fails if a window that lost its oldest entry still counts it, and if reading takes something.
    test('is counted by level, with the time when a full one frees, and ends after a minute', async () => {
      const { time, limits, admit } = await setUp()
      const team = buildTeam({ rpmLimit: 3, tpmLimit: 100 })
      const key = buildKey({ rpmLimit: 2, maxParallelRequests: 5 })
      const levels = buildLevels(team, key, null)
      const look = async () => (await limits.readWindows([levels]))[0]
      const room = { freesAt: null, used: 0 }
      expect(await look()).toEqual({
        running: 0,
        rates: [
          { level: 'team', requests: { limit: 3, ...room }, tokens: { limit: 100, ...room } },
          { level: 'key', requests: { limit: 2, ...room }, tokens: null },
        ],
      })
      const started = time.now
      holdOf(await admit({ team, key, callId: 'a', tokens: { input: 40, output: 20 } }))
      time.now += 5000
      const second = holdOf(await admit({ team, key, callId: 'b', tokens: { input: 30, output: 10 } }))
      for (let again = 0; again < 2; again += 1)
        expect(await look()).toEqual({
          running: 2,
          rates: [
            {
              level: 'team',
              requests: { limit: 3, used: 2, freesAt: null },
              tokens: { limit: 100, used: 100, freesAt: expect.any(Number) },
            },
            { level: 'key', requests: { limit: 2, used: 2, freesAt: started + 60_000 }, tokens: null },
          ],
        })
      await limits.release(second)
      expect(await look()).toMatchObject({ running: 1 })
      time.now = started + 60_000
      expect((await look())?.rates[1]).toEqual({
        level: 'key',
        requests: { limit: 2, used: 1, freesAt: null },
        tokens: null,
      })
    })
  })

  describe('slots taken before the body of a call is known', () => {
    const two = buildKey({ maxParallelRequests: 2 })
    const enter = (limits: Port, callId: string) =>
      limits.enter({ callId, levels: buildLevels(buildTeam(), two, null) })

    test('count like running calls, also against calls that come without one, and are freed when the call leaves', async () => {
      const { limits, admit } = await setUp()
      expect([await enter(limits, 'a'), await enter(limits, 'b')]).toEqual([null, null])
      expect((await limits.totals()).slots).toBe(2)
      expect(await enter(limits, 'c')).toMatchObject({
        refusal: { code: 'parallel_exceeded', limit: 2, used: 2 },
      })
      // With shared state, only the process itself knows what has entered: every call of a key enters.
      if (!isShared) {
        expect(await running(limits)).toBe(2)
        expect(await admit({ key: two, callId: 'd' })).toMatchObject({
          refusal: { code: 'parallel_exceeded' },
        })
      }
      await limits.leave('a')
      await limits.leave('a')
      expect((await limits.totals()).slots).toBe(1)
      expect(await enter(limits, 'c')).toBeNull()
    })

    test('become the slot of the hold: counted once and freed once', async () => {
      const { limits, admit } = await setUp()
      await enter(limits, 'a')
      await enter(limits, 'b')
      const hold = holdOf(await admit({ key: two, callId: 'a' }))
      expect((await limits.totals()).slots).toBe(2)
      expect(await enter(limits, 'c')).toMatchObject({ refusal: { code: 'parallel_exceeded' } })
      await limits.leave('a')
      expect((await limits.totals()).slots).toBe(2)
      expect(await enter(limits, 'c')).toMatchObject({ refusal: { code: 'parallel_exceeded' } })
      await limits.release(hold)
      await limits.leave('a')
      expect((await limits.totals()).slots).toBe(1)
      expect(await enter(limits, 'c')).toBeNull()
    })

    test('stay with a refused call until it leaves', async () => {
      const { limits, admit } = await setUp()
      await enter(limits, 'a')
      expect(await admit({ key: { ...two, rpmLimit: 0 }, callId: 'a' })).toMatchObject({
        refusal: { code: 'rpm_exceeded' },
      })
      expect((await limits.totals()).slots).toBe(1)
      await limits.leave('a')
      expect([await running(limits), (await limits.totals()).slots]).toEqual([0, 0])
    })

    test('survive the removal of idle owners', async () => {
      const { limits, time } = await setUp()
      await enter(limits, 'a')
      time.now += 10 * 60_000
      await enter(limits, 'b')
      expect(await enter(limits, 'c')).toMatchObject({ refusal: { code: 'parallel_exceeded' } })
    })
  })

  test('limits that refuse any call are predicted without taking anything', async () => {
    const { limits, admit, charge } = await setUp()
    const foresee = (changes: Parameters<typeof buildKey>[0], leastCost = 1) =>
      limits.foresee({
        levels: buildLevels(buildTeam(), buildKey(changes), null),
        leastCost: nanoDollars(leastCost),
      })
    expect(await foresee({ rpmLimit: 1 })).toBeNull()
    await charge(holdOf(await admit({ key: buildKey({ rpmLimit: 1 }), ...paying(100) })), {
      cost: nanoDollars(100),
      tokens: 0,
    })
    // With shared state, it may not know.
    const expectForeseen = (found: EarlyRefusal | null, refusal: Partial<Refusal>) => {
      if (!isShared || found !== null) expect(found).toMatchObject({ refusal })
    }
    expectForeseen(await foresee({ rpmLimit: 1 }), {
      code: 'rpm_exceeded',
      level: 'key',
      retryAfterSeconds: 60,
    })
    expect(await foresee({ maxBudget: nanoDollars(101) })).toBeNull()
    expectForeseen(await foresee({ maxBudget: nanoDollars(100) }), { code: 'budget_exceeded' })
    // A model without a price can still be called.
    expect(await foresee({ maxBudget: nanoDollars(100) }, 0)).toBeNull()
    // Held money may be back when the body has arrived.
    await admit({ callId: 'holding', key: buildKey({ maxBudget: nanoDollars(200) }), ...paying(100) })
    expect(await foresee({ maxBudget: nanoDollars(200) })).toBeNull()
    expect((await limits.totals()).slots).toBe(1)
  })

  describe('parallel slots', () => {
    test('exactly max_parallel_requests run, including calls for information, and every way out frees one', async () => {
      const { limits, admit, charge } = await setUp()
      const two = buildKey({ maxParallelRequests: 2 })
      const first = holdOf(await admit({ key: two }))
      const info = holdOf(
        await admit({ key: two, model: null, countsRequest: false, estimate: { kind: 'none' } }),
      )
      expect(await running(limits)).toBe(2)
      expect(await admit({ key: two })).toMatchObject({
        refusal: { code: 'parallel_exceeded', level: 'key', limit: 2, used: 2, retryAfterSeconds: 1 },
      })
      await limits.release(info)
      const second = holdOf(await admit({ key: two }))
      await charge(first, { cost: nanoDollars(0), tokens: 0 })
      expect(await running(limits)).toBe(1)
      await limits.release(second)
      expect(await limits.totals()).toEqual({ heldNanoDollars: 0, holds: 0, slots: 0 })
    })

    test('a slot is held for longer than the window', async () => {
      const { limits, admit, time } = await setUp()
      holdOf(await admit({ key: buildKey({ maxParallelRequests: 1 }) }))
      time.now += 3 * day
      expect((await admit({ key: buildKey({ maxParallelRequests: 1 }) })).admitted).toBe(false)
      expect(await running(limits)).toBe(1)
    })
  })
}
