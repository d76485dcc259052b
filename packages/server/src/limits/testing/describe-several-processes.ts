// Faults that only multiple processes on one state can have: what they see of each other, and of one that is killed, sleeps or asks twice.
import { describe, expect, test } from 'bun:test'
import { nanoDollars } from '../../ledger/money.ts'
import { buildKey, buildRequest, buildTeam } from './build-parties.ts'
import type { CreateEngine } from './engine.ts'
import { readSpendOf } from './look-at.ts'
import { holdOf, paying, running, team } from './set-up-engine.ts'

/** Declares the suite for faults that only multiple processes on one state can have. */
export function describeSeveralProcesses(name: string, createEngine: CreateEngine): void {
  async function setUp() {
    const time = { now: 5 }
    const engine = await createEngine(time)
    const { shared } = engine
    const second = () => {
      const [, process] = engine.processes
      if (process === undefined) throw new Error('The engine runs one process only.')
      return process
    }
    if (shared === null) throw new Error('The engine has its state in the process.')
    return { time, engine, shared, first: () => engine.processes[0], second }
  }
  const narrow = {
    team: buildTeam({ maxBudget: nanoDollars(100), rpmLimit: 3, tpmLimit: 100 }),
    key: buildKey({ maxParallelRequests: 2 }),
  }
  const call = (cost: number, tokens = 0) =>
    buildRequest({ ...narrow, ...paying(cost), tokens: { input: tokens, output: 0 } })
  const nothing = { heldNanoDollars: 0, holds: 0, slots: 0 }

  describe(`${name}: several processes`, () => {
    test('see the slots, windows and money that others have taken and freed', async () => {
      const { first, second } = await setUp()
      const holds = [
        holdOf(await first().limits.admit(call(50, 40))),
        holdOf(await second().limits.admit(call(40, 40))),
      ] as const
      for (const { limits } of [first(), second()]) {
        const used = { code: 'parallel_exceeded', limit: 2, used: 2 }
        expect(await limits.admit(call(0))).toMatchObject({ refusal: used })
        expect((await limits.totals()).slots).toBe(1)
        expect<unknown>(await readSpendOf(limits, team, 0)).toEqual({ spent: 0, held: 90 })
      }
      await first().limits.release(holds[0])
      await second().charge(holds[1], { cost: nanoDollars(40), tokens: 30 })
      expect<unknown>(await readSpendOf(first().limits, team, 0)).toEqual({ spent: 40, held: 0 })
      expect(await first().limits.admit(call(61))).toMatchObject({
        refusal: { code: 'budget_exceeded', used: 40 },
      })
      expect((await first().limits.admit(call(60, 60))).admitted).toBe(true)
      expect(await second().limits.admit(call(0))).toMatchObject({
        refusal: { code: 'rpm_exceeded', limit: 3, used: 3 },
      })
    })

    test('a call refused on one process takes nothing there or on another', async () => {
      const { first, second } = await setUp()
      expect((await first().limits.admit(call(101))).admitted).toBe(false)
      expect((await second().limits.admit(call(100, 100))).admitted).toBe(true)
      expect(await first().limits.totals()).toEqual(nothing)
    })

    // Shown to fail if a sweep returns what the windows have counted, or ends calls of running processes.
    test('when one is killed, its slots and money become free, and its requests and tokens stay counted', async () => {
      const { engine, first, second } = await setUp()
      holdOf(await first().limits.admit(call(70, 60)))
      const living = holdOf(await second().limits.admit(call(30, 30)))
      await engine.restart(0, [])
      expect(await first().limits.totals()).toEqual(nothing)
      expect<unknown>(await readSpendOf(second().limits, team, 0)).toEqual({ spent: 0, held: 30 })
      expect(await first().limits.admit(call(0, 11))).toMatchObject({
        refusal: { code: 'tpm_exceeded', used: 90 },
      })
      expect((await second().limits.admit(call(70, 10))).admitted).toBe(true)
      expect(await first().limits.admit(call(0))).toMatchObject({
        refusal: { code: 'parallel_exceeded', used: 2 },
      })
      await second().charge(living, { cost: nanoDollars(30), tokens: 30 })
      expect(await first().limits.admit(call(0))).toMatchObject({
        refusal: { code: 'rpm_exceeded', used: 3 },
      })
    })

    // Shown to fail if a late charge also returns the hold of the call.
    test('when one sleeps past its lease, its late charges count once and free nothing twice', async () => {
      const { shared, first, second } = await setUp()
      const late = holdOf(await first().limits.admit(call(40)))
      const abandoned = holdOf(await first().limits.admit(call(60)))
      await shared.stall(0)
      expect<unknown>(await readSpendOf(second().limits, team, 0)).toEqual({ spent: 0, held: 0 })
      const next = holdOf(await second().limits.admit(call(50)))
      await first().charge(late, { cost: nanoDollars(40), tokens: 0 })
      await first().charge(late, { cost: nanoDollars(40), tokens: 0 })
      await first().limits.release(abandoned)
      for (const { limits } of [first(), second()])
        expect<unknown>(await readSpendOf(limits, team, 0)).toEqual({ spent: 40, held: 50 })
      expect(await running(second().limits)).toBe(1)
      await second().limits.release(next)
      expect(await running(first().limits)).toBe(0)
      expect(await first().limits.totals()).toEqual(nothing)
    })

    test('a charge counts once if its commit had no answer', async () => {
      const { shared, first, second } = await setUp()
      const hold = holdOf(await first().limits.admit(call(40, 40)))
      await shared.chargeTwice(0, hold, { cost: nanoDollars(30), tokens: 10 })
      expect<unknown>(await readSpendOf(second().limits, team, 0)).toEqual({ spent: 30, held: 0 })
      expect(await running(second().limits)).toBe(0)
      expect((await second().limits.admit(call(70, 90))).admitted).toBe(true)
    })

    test('concurrent callers on all processes exceed no limit', async () => {
      const { engine } = await setUp()
      const decisions = await Promise.all(
        Array.from({ length: 40 }, (_, index) => {
          const process = engine.processes[index % engine.processes.length] ?? engine.processes[0]
          return process.limits.admit(call(30))
        }),
      )
      expect(decisions.filter(({ admitted }) => admitted)).toHaveLength(2)
      expect<unknown>(await readSpendOf(engine.processes[0].limits, team, 0)).toEqual({ spent: 0, held: 60 })
    })
  })
}
