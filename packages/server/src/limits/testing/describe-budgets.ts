// The contract of every limits engine for budgets, holds and refunds.
import { describe, expect, test } from 'bun:test'
import { nanoDollars } from '../../ledger/money.ts'
import { failureOf } from '../../store/testing/failure-of.ts'
import type { Hold } from '../port.ts'
import { buildKey, buildRequest, buildTeam, type RequestChanges } from './build-parties.ts'
import { readSpendOf } from './look-at.ts'
import { day, holdOf, key, keyModel, paying, type Suite, team } from './set-up-engine.ts'

/** Declares these tests within the suite of an engine. */
export function describeBudgets({ setUp }: Suite): void {
  describe('budgets', () => {
    const budgets: [string, RequestChanges][] = [
      ['team', { team: buildTeam({ maxBudget: nanoDollars(100) }) }],
      ['key', { key: buildKey({ maxBudget: nanoDollars(100) }) }],
      ['key_model', { key: buildKey({ modelMaxBudget: new Map([['model-1', nanoDollars(100)]]) }) }],
    ]
    test.each(budgets)(
      '%s: exactly ⌊budget / price⌋ calls at once; the rest is held, then exceeded',
      async (level, changes) => {
        const { admit, charge } = await setUp()
        const holds: Hold[] = []
        for (let call = 0; call < 3; call += 1) holds.push(holdOf(await admit({ ...changes, ...paying(33) })))
        expect(await admit({ ...changes, ...paying(2) })).toMatchObject({
          refusal: { code: 'budget_held', level, used: 0, held: 99 },
        })
        expect((await admit({ ...changes, ...paying(1) })).admitted).toBe(true)
        for (const hold of holds) await charge(hold, { cost: nanoDollars(33), tokens: 0 })
        expect(await admit({ ...changes, ...paying(2) })).toMatchObject({
          refusal: { code: 'budget_exceeded', level, used: 99, held: 1 },
        })
      },
    )

    test('the order of refusal is parallel, requests, tokens, budget', async () => {
      const { admit } = await setUp()
      const full = {
        team: buildTeam({ rpmLimit: 0, tpmLimit: 0, maxBudget: nanoDollars(0) }),
        tokens: { input: 1, output: 1 },
        ...paying(1),
      }
      const codeOf = async (changes: RequestChanges) => {
        const decision = await admit(changes)
        return decision.admitted ? null : decision.refusal.code
      }
      expect(await codeOf({ ...full, key: buildKey({ maxParallelRequests: 0 }) })).toBe('parallel_exceeded')
      expect(await codeOf(full)).toBe('rpm_exceeded')
      expect(await codeOf({ ...full, team: { ...full.team, rpmLimit: null } })).toBe('tpm_exceeded')
      expect(await codeOf({ ...full, team: { ...full.team, rpmLimit: null, tpmLimit: null } })).toBe(
        'budget_exceeded',
      )
    })

    test('a refund returns money to team, key and model, and the next call can spend it', async () => {
      const { limits, admit, charge, refund } = await setUp()
      const lean = {
        team: buildTeam({ maxBudget: nanoDollars(10) }),
        key: buildKey({ modelMaxBudget: new Map([['model-1', nanoDollars(10)]]) }),
      }
      const hold = holdOf(await admit({ ...lean, ...paying(10) }))
      await charge(hold, { cost: nanoDollars(10), tokens: 0 })
      expect((await admit({ ...lean, ...paying(1) })).admitted).toBe(false)
      await refund(hold, nanoDollars(4))
      const { team: teamPeriod, key: keyPeriod } = hold.periods
      expect((await readSpendOf(limits, team, teamPeriod)).spent).toBe(nanoDollars(6))
      expect((await readSpendOf(limits, key, keyPeriod)).spent).toBe(nanoDollars(6))
      expect((await readSpendOf(limits, keyModel, keyPeriod)).spent).toBe(nanoDollars(6))
      expect((await admit({ ...lean, ...paying(5) })).admitted).toBe(false)
      expect((await admit({ ...lean, ...paying(4) })).admitted).toBe(true)
    })

    // Shown to fail if a correction changes only the team, or the spend of another period.
    test('a correction changes what team, key, model and event have spent in its period', async () => {
      const { engine, limits, charge } = await setUp(5)
      const [{ adjust }] = engine.processes
      const hold = holdOf(await limits.admit(buildRequest(paying(10))))
      await charge(hold, { cost: nanoDollars(10), tokens: 0 })
      const correction = { ...hold, periods: { team: 0, key: 0 } }
      await adjust({ ...correction, amount: 7 })
      await adjust({ ...correction, keyHash: null, modelId: null, amount: -3 })
      const spent = async () => [
        (await readSpendOf(limits, team, 0)).spent,
        (await readSpendOf(limits, key, 0)).spent,
        (await readSpendOf(limits, keyModel, 0)).spent,
        (await readSpendOf(limits, { kind: 'event' }, 0)).spent,
      ]
      expect<unknown[]>(await spent()).toEqual([14, 17, 17, 14])
      const lean = { team: buildTeam({ maxBudget: nanoDollars(20) }) }
      expect(await limits.admit(buildRequest({ ...lean, ...paying(7) }))).toMatchObject({
        refusal: { code: 'budget_exceeded', used: 14 },
      })
      await adjust({ ...correction, teamId: 'idle', keyHash: 'idle', amount: 4 })
      expect<unknown>(await readSpendOf(limits, { kind: 'team', teamId: 'idle' }, 0)).toMatchObject({
        spent: 4,
      })
      await adjust({ ...correction, periods: { team: day, key: 0 }, amount: 6 })
      expect<unknown>((await readSpendOf(limits, team, day)).spent).toBe(6)
      await adjust({ ...correction, amount: 1 })
      expect<unknown>((await readSpendOf(limits, team, day)).spent).toBe(6)
    })

    test('only the first of settle and release counts, and only for its own hold', async () => {
      const { limits, admit, charge } = await setUp()
      const hold = holdOf(await admit({ ...paying(10), callId: 'again' }))
      await charge(hold, { cost: nanoDollars(4), tokens: 0 })
      await charge(hold, { cost: nanoDollars(4), tokens: 0 })
      await limits.release(hold)
      expect<unknown>(await readSpendOf(limits, team, 0)).toEqual({ spent: 4, held: 0 })
      const second = holdOf(await admit({ ...paying(10), callId: 'again' }))
      await limits.release(hold)
      expect(await limits.totals()).toEqual({ heldNanoDollars: 10, holds: 1, slots: 1 })
      await limits.release(second)
      await limits.settle(second, { cost: nanoDollars(9), tokens: 0 })
      for (const owner of [team, key, keyModel])
        expect<unknown>(await readSpendOf(limits, owner, 0)).toEqual({ spent: 4, held: 0 })
    })

    test('the same call id cannot run twice', async () => {
      const { admit } = await setUp()
      holdOf(await admit({ callId: 'same' }))
      expect((await failureOf(admit({ callId: 'same' }))).message).toContain('already running')
    })

    test('a call without a price throws and takes nothing', async () => {
      const { limits, admit } = await setUp()
      const price = { tiers: [{ aboveInputTokens: 0, rates: { inputText: 1 } }] } as const
      const estimate = {
        kind: 'tokens',
        count: 1,
        inputTokens: 1,
        price,
        askedOutput: 1,
        minimumOutput: 1,
        reducible: true,
      } as const
      const failure = await failureOf(admit({ estimate, team: buildTeam({ rpmLimit: 1 }) }))
      expect(failure.message).toContain('outputText')
      expect((await limits.totals()).slots).toBe(0)
      expect((await admit({ team: buildTeam({ rpmLimit: 1 }) })).admitted).toBe(true)
    })
  })

  test("the budget of a key is not used up by another key's calls", async () => {
    const { admit } = await setUp()
    const pay = async (keyHash: string) =>
      (await admit({ key: buildKey({ keyHash, maxBudget: nanoDollars(100) }), ...paying(100) })).admitted
    expect([await pay('a'), await pay('b'), await pay('a')]).toEqual([true, true, false])
  })
}
