// The contract of every limits engine for budget periods.
import { describe, expect, test } from 'bun:test'
import { nanoDollars } from '../../ledger/money.ts'
import { buildModel, buildRequest, buildTeam } from './build-parties.ts'
import { readSpendOf } from './look-at.ts'
import { day, holdOf, key, keyModel, paying, type Suite, team } from './set-up-engine.ts'

/** Declares these tests within the suite of an engine. */
export function describePeriods({ setUp }: Suite): void {
  describe('periods', () => {
    const daily = {
      team: buildTeam({ maxBudget: nanoDollars(100), budgetDuration: '1d', budgetAnchor: 0 }),
    }

    test('a budget resets when next looked at; a late charge belongs to the period of its admission', async () => {
      const { limits, admit, time, charge } = await setUp(day - 1)
      const late = holdOf(await admit({ ...daily, ...paying(100) }))
      expect(late.periods).toEqual({ team: 0, key: 0 })
      expect(await admit({ ...daily, ...paying(1) })).toMatchObject({
        refusal: { code: 'budget_held', resetAt: day },
      })
      time.now = day
      const fresh = holdOf(await admit({ ...daily, ...paying(60) }))
      expect(fresh.periods).toEqual({ team: day, key: 0 })
      await charge(late, { cost: nanoDollars(100), tokens: 0 })
      expect<unknown>(await readSpendOf(limits, team, day)).toEqual({ spent: 0, held: 60 })
      expect<unknown>(await readSpendOf(limits, key, 0)).toEqual({ spent: 100, held: 60 })
      expect((await limits.totals()).heldNanoDollars).toBe(60)
    })

    test('the spend of a period that ended without a call is 0', async () => {
      const { limits, admit, charge } = await setUp()
      await charge(holdOf(await admit({ ...daily, ...paying(7) })), {
        cost: nanoDollars(7),
        tokens: 0,
      })
      expect<number>((await readSpendOf(limits, team, 0)).spent).toBe(7)
      expect<number>((await readSpendOf(limits, team, day)).spent).toBe(0)
    })

    test('charges from before a restart count in their period, for team, key and key with model', async () => {
      const { engine, time, pay } = await setUp(5)
      await pay(10, { ...daily, model: buildModel({ id: 'model-2' }) })
      time.now = day + 5
      await pay(40, { ...daily, model: buildModel({ id: 'model-2' }) })
      await pay(30, daily)
      await engine.restart(0, [
        { owner: team, periodStart: day, spent: nanoDollars(70) },
        { owner: key, periodStart: 0, spent: nanoDollars(80) },
        { owner: keyModel, periodStart: 0, spent: nanoDollars(30) },
        { owner: { ...keyModel, modelId: 'model-2' }, periodStart: 0, spent: nanoDollars(50) },
      ])
      expect(await engine.processes[0].limits.admit(buildRequest({ ...daily, ...paying(31) }))).toMatchObject(
        {
          refusal: { code: 'budget_exceeded', used: 70, resetAt: 2 * day },
        },
      )
      await pay(30, daily)
      const [ofTeam, ofKey, ofModel] = await engine.processes[0].limits.readSpend([
        { owner: team, periodStart: day },
        { owner: key, periodStart: 0 },
        { owner: keyModel, periodStart: 0 },
      ])
      expect<unknown[]>([ofTeam?.spent, ofKey?.spent, ofModel?.spent]).toEqual([100, 110, 60])
      expect<unknown>(
        await engine.processes[0].limits.readModelSpend([
          { teamId: 'team-1', keyHash: 'key-1', periodStart: 0 },
          { teamId: 'team-1', keyHash: 'unknown', periodStart: 0 },
          { teamId: 'team-1', keyHash: 'key-1', periodStart: day },
        ]),
      ).toEqual([
        [
          { modelId: 'model-1', spent: 60 },
          { modelId: 'model-2', spent: 50 },
        ],
        [],
        [],
      ])
    })

    test('charges of a period that is over do not count after a restart', async () => {
      const { engine, time, pay } = await setUp(5)
      await pay(100, daily)
      time.now = day + 5
      await engine.restart(0, [{ owner: team, periodStart: 0, spent: nanoDollars(100) }])
      await pay(100, daily)
    })
  })
}
