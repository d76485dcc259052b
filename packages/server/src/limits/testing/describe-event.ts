// The contract of every limits engine in an event: its cap, its phases, and grants.
import { describe, expect, test } from 'bun:test'
import type { EventLimits } from '../../ledger/event-limits.ts'
import { nanoDollars } from '../../ledger/money.ts'
import { failureOf } from '../../store/testing/failure-of.ts'
import { LevelsOver } from '../levels.ts'
import { buildKey, buildRequest, buildTeam } from './build-parties.ts'
import { readSpendOf } from './look-at.ts'
import { day, holdOf, type Port, paying, type Suite } from './set-up-engine.ts'

/** Declares these tests within the suite of an engine. */
export function describeEvent({ setUp }: Suite): void {
  describe('an event', () => {
    const noEvent = { cap: null, teamBudget: null, since: null, until: null }
    const capped = (cap: number) => ({ ...noEvent, cap: nanoDollars(cap) })
    const inEvent = (event: EventLimits, teamId: string, cost: number) =>
      buildRequest({
        team: buildTeam({ teamId }),
        key: buildKey({ teamId, keyHash: `key of ${teamId}` }),
        event,
        ...paying(cost),
      })
    const spendOfEvent = (limits: Port) => readSpendOf(limits, { kind: 'event' }, 0)

    test('its cap counts the spend and holds of all teams, and refusals name it', async () => {
      const { limits, charge } = await setUp()
      const ended = holdOf(await limits.admit(inEvent(capped(100), 'a', 60)))
      await charge(ended, { cost: nanoDollars(50), tokens: 0 })
      const running = holdOf(await limits.admit(inEvent(capped(100), 'b', 30)))
      expect<unknown>(await spendOfEvent(limits)).toEqual({ spent: 50, held: 30 })
      expect(await limits.admit(inEvent(capped(100), 'c', 21))).toMatchObject({
        refusal: { code: 'budget_held', level: 'event', limit: 100, used: 50, held: 30, resetAt: null },
      })
      expect(await limits.admit(inEvent(capped(100), 'c', 51))).toMatchObject({
        refusal: { code: 'budget_exceeded', level: 'event', retryAfterSeconds: null },
      })
      await limits.release(running)
      expect((await limits.admit(inEvent(capped(100), 'c', 50))).admitted).toBe(true)
    })

    // Shown to fail if a call returns money to the event that it never held there.
    test('a cap added later counts earlier spend, but not the holds of running calls', async () => {
      const { limits, charge, refund } = await setUp()
      const before = holdOf(await limits.admit(inEvent(noEvent, 'a', 40)))
      await charge(before, { cost: nanoDollars(40), tokens: 0 })
      const running = holdOf(await limits.admit(inEvent(noEvent, 'a', 30)))
      const dropped = holdOf(await limits.admit(inEvent(noEvent, 'b', 20)))
      const within = holdOf(await limits.admit(inEvent(capped(100), 'b', 50)))
      expect<unknown>(await spendOfEvent(limits)).toEqual({ spent: 40, held: 50 })
      await limits.release(dropped)
      expect(await limits.admit(inEvent(capped(100), 'a', 11))).toMatchObject({
        refusal: { code: 'budget_held', level: 'event', used: 40, held: 50 },
      })
      await charge(running, { cost: nanoDollars(5), tokens: 0 })
      expect<unknown>(await spendOfEvent(limits)).toEqual({ spent: 45, held: 50 })
      await charge(within, { cost: nanoDollars(10), tokens: 0 })
      await refund(before, nanoDollars(40))
      expect<unknown>(await spendOfEvent(limits)).toEqual({ spent: 15, held: 0 })
      expect((await limits.admit(inEvent(capped(100), 'a', 85))).admitted).toBe(true)
    })

    test('its spend is known after a restart', async () => {
      const { engine, limits, charge } = await setUp()
      const hold = holdOf(await limits.admit(inEvent(capped(100), 'a', 60)))
      await charge(hold, { cost: nanoDollars(60), tokens: 0 })
      holdOf(await limits.admit(inEvent(capped(100), 'a', 40)))
      await engine.restart(0, [{ owner: { kind: 'event' }, periodStart: 0, spent: nanoDollars(60) }])
      const [{ limits: next }] = engine.processes
      expect<unknown>(await spendOfEvent(next)).toEqual({ spent: 60, held: 0 })
      expect(await next.admit(inEvent(capped(100), 'b', 41))).toMatchObject({
        refusal: { code: 'budget_exceeded', level: 'event', used: 60 },
      })
    })

    test('a phase with its own accounting starts a period of team and key, which later phases continue', async () => {
      const { limits, charge, time } = await setUp(50)
      const phase = { ...noEvent, teamBudget: nanoDollars(100), until: 100 }
      const practised = holdOf(await limits.admit(inEvent(phase, 'a', 90)))
      await charge(practised, { cost: nanoDollars(90), tokens: 0 })
      expect(await limits.admit(inEvent(phase, 'a', 11))).toMatchObject({
        refusal: { code: 'budget_exceeded', level: 'team', limit: 100, used: 90, resetAt: null },
      })
      const straddling = holdOf(await limits.admit(inEvent(phase, 'a', 10)))
      time.now = 100
      const contest = { ...phase, since: 100, until: 200 }
      const fresh = holdOf(await limits.admit(inEvent(contest, 'a', 60)))
      expect(fresh.periods).toEqual({ team: 100, key: 100 })
      await charge(straddling, { cost: nanoDollars(10), tokens: 0 })
      await charge(fresh, { cost: nanoDollars(60), tokens: 0 })
      expect(await limits.admit(inEvent(contest, 'a', 41))).toMatchObject({ refusal: { used: 60 } })
      time.now = 200
      const after = { ...contest, until: null }
      expect(await limits.admit(inEvent(after, 'a', 41))).toMatchObject({ refusal: { used: 60 } })
      expect((await limits.admit(inEvent(after, 'a', 40))).admitted).toBe(true)
    })

    test('levels of a phase that is over are distinguished from a refusal, and take nothing', async () => {
      const { limits, time } = await setUp(99)
      const phase = { ...noEvent, teamBudget: nanoDollars(100), until: 100 }
      holdOf(await limits.admit(inEvent(phase, 'a', 40)))
      time.now = 100
      const late = inEvent(phase, 'a', 40)
      const failure = await failureOf((async () => limits.admit(late))())
      expect(failure).toBeInstanceOf(LevelsOver)
      expect(failure).toMatchObject({ now: 100 })
      expect((await limits.totals()).slots).toBe(1)
      expect((await limits.admit({ ...late, levels: { ...late.levels, until: 101 } })).admitted).toBe(true)
      const info = { ...inEvent(phase, 'a', 0), estimate: { kind: 'none' }, countsRequest: false } as const
      expect((await limits.admit({ ...info, levels: { ...info.levels, modelId: null } })).admitted).toBe(true)
    })

    test('a grant raises the budget only in its period', async () => {
      const { limits, charge, time } = await setUp(5)
      const granted = (periodStart: number) =>
        buildRequest({
          team: buildTeam({
            maxBudget: nanoDollars(100),
            budgetDuration: '1d',
            granted: { amount: nanoDollars(30), periodStart },
          }),
          ...paying(120),
        })
      expect(await limits.admit(granted(day))).toMatchObject({ refusal: { level: 'team', limit: 100 } })
      await charge(holdOf(await limits.admit(granted(0))), { cost: nanoDollars(120), tokens: 0 })
      // The next period has 100 again, which never pays for this call.
      expect(await limits.admit(granted(0))).toMatchObject({
        refusal: { limit: 130, used: 120, resetAt: day, retryAfterSeconds: null },
      })
      time.now = day
      expect(await limits.admit(granted(0))).toMatchObject({ refusal: { limit: 100, used: 0 } })
    })
  })
}
