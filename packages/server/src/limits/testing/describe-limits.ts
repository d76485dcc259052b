// What every engine of the limits must do, told once: decisions, slots, windows, budgets and periods, alone and at once.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { CatalogModel } from '../../catalog/types.ts'
import type { Key, Team } from '../../directory/types.ts'
import type { EventLimits } from '../../ledger/event-limits.ts'
import { type NanoDollars, nanoDollars } from '../../ledger/money.ts'
import { failureOf } from '../../store/testing/failure-of.ts'
import { buildLevels } from '../build-levels.ts'
import { LevelsOver } from '../levels.ts'
import type { Decision, EarlyRefusal, Hold, Refusal } from '../port.ts'
import { buildKey, buildModel, buildRequest, buildTeam, type RequestChanges } from './build-parties.ts'
import type { CreateEngine, EngineProcess } from './engine.ts'
import { buildLook, readLook, readSpendOf } from './look-at.ts'

type Port = EngineProcess['limits']

const day = 86_400_000
const team = { kind: 'team', teamId: 'team-1' } as const
const key = { kind: 'key', teamId: 'team-1', keyHash: 'key-1' } as const
const keyModel = { kind: 'key_model', teamId: 'team-1', keyHash: 'key-1', modelId: 'model-1' } as const

/** A hundred tokens a minute, at one level alone. */
const hundred = new Map([['model-1', 100]])
const tokenLevels: [string, RequestChanges][] = [
  ['service_model', { model: buildModel({ tpmLimit: 100 }) }],
  ['team', { team: buildTeam({ tpmLimit: 100 }) }],
  ['team_model', { team: buildTeam({ modelTpmLimit: hundred }) }],
  ['key', { key: buildKey({ tpmLimit: 100 }) }],
  ['key_model', { key: buildKey({ modelTpmLimit: hundred }) }],
]

function holdOf(decision: Decision): Hold {
  if (!decision.admitted) throw new Error(`Refused: ${decision.refusal.code}`)
  return decision.hold
}

function paying(cost: number): { estimate: { kind: 'fixed'; cost: NanoDollars } } {
  return { estimate: { kind: 'fixed', cost: nanoDollars(cost) } }
}

async function running(limits: Port): Promise<number> {
  return readLook(await limits.admit(buildLook(buildTeam(), buildKey()))).running
}

async function ratesOf(limits: Port, team: Team, key: Key, model?: CatalogModel) {
  return readLook(await limits.admit(buildLook(team, key, model))).rates
}

/** After every third step an engine that waits for another machine gets on: callers meet halfway through a decision, and hold what they have. */
function createPause(): (step: () => Promise<void>) => Promise<void> {
  let steps = 0
  return async step => {
    await step()
    steps += 1
    if (steps % 3 === 0) await new Promise<void>(resolve => setImmediate(resolve))
  }
}

/** Declares the suite; call it at the top of a test file. `place`: where the engine has its state. */
export function describeLimits(
  name: string,
  place: 'process' | 'database',
  createEngine: CreateEngine,
): void {
  const isShared = place === 'database'

  /** With the first process of an engine. */
  async function setUp(start = 1_000_000) {
    const time = { now: start }
    const engine = await createEngine(time)
    const [{ limits, charge, refund }] = engine.processes
    const admit = async (changes: RequestChanges = {}) => limits.admit(buildRequest(changes))
    /** A call that was admitted and has ended; by the process that runs now. */
    const pay = async (cost: number, changes: RequestChanges): Promise<void> => {
      const [process] = engine.processes
      const hold = holdOf(await process.limits.admit(buildRequest({ ...changes, ...paying(cost) })))
      await process.charge(hold, { cost: nanoDollars(cost), tokens: 0 })
    }
    return { time, engine, limits, charge, refund, admit, pay }
  }

  describe(name, () => {
    describe('what windows and slots are used, for people to look at', () => {
      // Fails where a window that lost its oldest entry still counts it, and where reading takes something.
      test('is counted by level, with when a full one frees, and over after a minute', async () => {
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

    describe('slots that are taken before it is known what the call wants', () => {
      const two = buildKey({ maxParallelRequests: 2 })
      const enter = (limits: Port, callId: string) =>
        limits.enter({ callId, levels: buildLevels(buildTeam(), two, null) })

      test('count like running calls, for calls that are admitted without one too, and are free when the call leaves', async () => {
        const { limits, admit } = await setUp()
        expect([await enter(limits, 'a'), await enter(limits, 'b')]).toEqual([null, null])
        expect((await limits.totals()).slots).toBe(2)
        expect(await enter(limits, 'c')).toMatchObject({
          refusal: { code: 'parallel_exceeded', limit: 2, used: 2 },
        })
        // Where the state is shared, only the process itself knows what has entered: every call of a key enters.
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

      test('become the slot of the hold, which then owns it: it is counted once and freed once', async () => {
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

      test('stay with a call that is refused, until it leaves', async () => {
        const { limits, admit } = await setUp()
        await enter(limits, 'a')
        expect(await admit({ key: { ...two, rpmLimit: 0 }, callId: 'a' })).toMatchObject({
          refusal: { code: 'rpm_exceeded' },
        })
        expect((await limits.totals()).slots).toBe(1)
        await limits.leave('a')
        expect([await running(limits), (await limits.totals()).slots]).toEqual([0, 0])
      })

      test('survive the clearing of idle owners', async () => {
        const { limits, time } = await setUp()
        await enter(limits, 'a')
        time.now += 10 * 60_000
        await enter(limits, 'b')
        expect(await enter(limits, 'c')).toMatchObject({ refusal: { code: 'parallel_exceeded' } })
      })
    })

    test('what refuses any call is foreseen without taking anything', async () => {
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
      // Where the state is shared, it may not know.
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
      test('exactly max_parallel_requests run, calls for information included, and every way out frees one', async () => {
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

    describe('windows', () => {
      const one = new Map([['model-1', 1]])
      const levels: [string, RequestChanges][] = [
        ['service_model', { model: buildModel({ rpmLimit: 1 }) }],
        ['team', { team: buildTeam({ rpmLimit: 1 }) }],
        ['team_model', { team: buildTeam({ modelRpmLimit: one }) }],
        ['key', { key: buildKey({ rpmLimit: 1 }) }],
        ['key_model', { key: buildKey({ modelRpmLimit: one }) }],
      ]
      test.each(levels)(
        '%s: the second request in 60 s is refused, also after the first was released',
        async (level, changes) => {
          const { limits, admit, time } = await setUp()
          await limits.release(holdOf(await admit(changes)))
          time.now += 59_999
          expect(await admit(changes)).toMatchObject({
            refusal: { code: 'rpm_exceeded', level, limit: 1, used: 1, retryAfterSeconds: 1 },
          })
          time.now += 1
          expect((await admit(changes)).admitted).toBe(true)
        },
      )

      test.each(tokenLevels)(
        '%s: reserved tokens refuse, and what was not used comes back',
        async (level, changes) => {
          const { admit, charge } = await setUp()
          const call = { ...changes, tokens: { input: 30, output: 500 } }
          const hold = holdOf(await admit(call))
          expect(await admit(call)).toMatchObject({
            refusal: { code: 'tpm_exceeded', level, limit: 100, used: 100 },
          })
          await charge(hold, { cost: nanoDollars(0), tokens: 40 })
          expect((await admit({ ...changes, tokens: { input: 30, output: 30 } })).admitted).toBe(true)
          expect((await admit({ ...changes, tokens: { input: 1, output: 0 } })).admitted).toBe(false)
        },
      )

      test('team windows are shared by its keys, a model window is not shared by models', async () => {
        const { admit } = await setUp()
        const shared = buildTeam({ rpmLimit: 1 })
        expect((await admit({ team: shared, key: buildKey({ keyHash: 'a' }) })).admitted).toBe(true)
        expect((await admit({ team: shared, key: buildKey({ keyHash: 'b' }) })).admitted).toBe(false)
        const other = buildTeam({
          teamId: 'team-2',
          modelRpmLimit: new Map([
            ['model-1', 1],
            ['model-2', 1],
          ]),
        })
        expect((await admit({ team: other })).admitted).toBe(true)
        expect((await admit({ team: other, model: buildModel({ id: 'model-2' }) })).admitted).toBe(true)
        expect((await admit({ team: other })).admitted).toBe(false)
      })

      test('a limit changed at run time counts what has already passed', async () => {
        const { admit } = await setUp()
        for (let count = 0; count < 5; count += 1) holdOf(await admit({ team: buildTeam({ rpmLimit: 5 }) }))
        expect(await admit({ team: buildTeam({ rpmLimit: 3 }) })).toMatchObject({
          refusal: { limit: 3, used: 5 },
        })
        expect((await admit({ team: buildTeam({ rpmLimit: 6 }) })).admitted).toBe(true)
      })

      test('a clock that steps back frees nothing', async () => {
        const { admit, time } = await setUp()
        holdOf(await admit({ team: buildTeam({ rpmLimit: 1 }) }))
        time.now -= 300_000
        expect(await admit({ team: buildTeam({ rpmLimit: 1 }) })).toMatchObject({
          refusal: { retryAfterSeconds: 60 },
        })
      })

      test('the snapshot shows the tightest window, also without a call', async () => {
        const { limits, admit } = await setUp()
        const owners = { team: buildTeam({ rpmLimit: 10, tpmLimit: 1000 }), key: buildKey({ rpmLimit: 4 }) }
        const decision = await admit({ ...owners, tokens: { input: 100, output: 50 } })
        const rates = {
          requests: { limit: 4, remaining: 3, resetMs: 60_000 },
          tokens: { limit: 1000, remaining: 850, resetMs: 60_000 },
        }
        expect(decision.rates).toEqual(rates)
        expect(await ratesOf(limits, owners.team, owners.key)).toEqual(rates)
        expect(
          (await ratesOf(limits, owners.team, owners.key, buildModel({ rpmLimit: 2 }))).requests?.limit,
        ).toBe(2)
      })
    })

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
          for (let call = 0; call < 3; call += 1)
            holds.push(holdOf(await admit({ ...changes, ...paying(33) })))
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

      test('a refund gives team, key and model their money back, for the next call to spend', async () => {
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

      // Shown to fail where a correction moves the team alone, and where it moves what another period has spent.
      test('a correction adds to or takes off what team, key, model and event have spent in its period', async () => {
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

      test('only the first of settle and release counts, and only for the very hold', async () => {
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

      test('a call that cannot be priced throws and takes nothing', async () => {
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

      test('the spend of a period that ended without any call is 0', async () => {
        const { limits, admit, charge } = await setUp()
        await charge(holdOf(await admit({ ...daily, ...paying(7) })), {
          cost: nanoDollars(7),
          tokens: 0,
        })
        expect<number>((await readSpendOf(limits, team, 0)).spent).toBe(7)
        expect<number>((await readSpendOf(limits, team, day)).spent).toBe(0)
      })

      test('what was charged before a restart counts in its period, for team, key and key with model', async () => {
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
        expect(
          await engine.processes[0].limits.admit(buildRequest({ ...daily, ...paying(31) })),
        ).toMatchObject({
          refusal: { code: 'budget_exceeded', used: 70, resetAt: 2 * day },
        })
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

      test('what was charged in a period that is over does not count after a restart', async () => {
        const { engine, time, pay } = await setUp(5)
        await pay(100, daily)
        time.now = day + 5
        await engine.restart(0, [{ owner: team, periodStart: 0, spent: nanoDollars(100) }])
        await pay(100, daily)
      })
    })

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

      test('its cap counts what all teams spend and hold, and is named', async () => {
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

      // Shown to fail where a call gives back to the event what it has never held of it.
      test('a cap that comes later counts what was spent before; calls that run already hold nothing of it', async () => {
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

      test('what was spent of it is known after a restart', async () => {
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

      test('a phase with its own accounting begins a period of team and key, which the phases after it continue', async () => {
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

      test('levels of a phase that is over are told from a refusal, and take nothing', async () => {
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
        expect((await limits.admit({ ...info, levels: { ...info.levels, modelId: null } })).admitted).toBe(
          true,
        )
      })

      test('a grant raises the budget in its period alone', async () => {
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

    describe('tokens beyond a reservation', () => {
      async function admitOne() {
        const { time, limits, admit, charge } = await setUp()
        const team = buildTeam({ tpmLimit: 1000 })
        const hold = holdOf(await admit({ team, tokens: { input: 10, output: 90 } }))
        const left = async () => (await ratesOf(limits, team, buildKey())).tokens?.remaining
        return { time, limits, charge, hold, left }
      }

      // Shown to fail by settling without regard to what `exceed` has counted (ledger/token-window.ts).
      test('count as soon as they are told, and are not counted again by the settlement', async () => {
        const { time, limits, charge, hold, left } = await admitOne()
        time.now += 30_000
        await limits.exceed(hold, 130)
        await limits.exceed(hold, 130)
        expect(await left()).toBe(870)
        time.now += 5000
        await charge(hold, { cost: nanoDollars(0), tokens: 150 })
        expect(await left()).toBe(850)
        time.now += 25_000
        expect(await left()).toBe(950)
      })

      test('are none when less than the reservation was used, or when the call has ended', async () => {
        const { limits, charge, hold, left } = await admitOne()
        await limits.exceed(hold, 40)
        expect(await left()).toBe(900)
        await charge(hold, { cost: nanoDollars(0), tokens: 40 })
        await limits.exceed(hold, 500)
        expect(await left()).toBe(960)
      })

      test('stay when the call is released: it gives back its reservation, and no more', async () => {
        const { limits, hold, left } = await admitOne()
        await limits.exceed(hold, 130)
        await limits.release(hold)
        expect(await left()).toBe(970)
      })

      test.each(tokenLevels)('%s: count after an idle hour too', async (_, changes) => {
        const { admit, time, charge } = await setUp()
        const capped = { ...changes, tokens: { input: 10, output: 10 } }
        const slow = holdOf(await admit(capped))
        time.now += 3_600_000
        await charge(slow, { cost: nanoDollars(0), tokens: 115 })
        expect(await admit(capped)).toMatchObject({ refusal: { code: 'tpm_exceeded', used: 95 } })
      })
    })

    test('a released call gives back all its tokens', async () => {
      const { limits, admit } = await setUp()
      const call = { team: buildTeam({ tpmLimit: 100 }), tokens: { input: 40, output: 60 } }
      await limits.release(holdOf(await admit(call)))
      expect((await ratesOf(limits, call.team, buildKey())).tokens?.remaining).toBe(100)
      expect((await admit(call)).admitted).toBe(true)
    })

    test("the budget of a key is not used up by another key's calls", async () => {
      const { admit } = await setUp()
      const pay = async (keyHash: string) =>
        (await admit({ key: buildKey({ keyHash, maxBudget: nanoDollars(100) }), ...paying(100) })).admitted
      expect([await pay('a'), await pay('b'), await pay('a')]).toEqual([true, true, false])
    })

    // Shown to fail on engines that look first and take later, in `enter` (more run than there are slots) or in `admit` (more are admitted).
    test('callers at once: in whatever order their steps come, no limit is passed and nothing is left', async () => {
      const outcomes = fc.constantFrom('settle', 'settle', 'release', 'leave')
      const callers = fc.array(fc.record({ isSlow: fc.boolean(), ends: outcomes }), {
        minLength: 10,
        maxLength: 16,
      })
      await fc.assert(
        fc.asyncProperty(fc.scheduler({ act: createPause() }), callers, async (scheduler, plans) => {
          const { limits, charge } = await setUp()
          const owners = {
            team: buildTeam({ maxBudget: nanoDollars(500), rpmLimit: 6, tpmLimit: 70 }),
            key: buildKey({ maxParallelRequests: 3 }),
          }
          const tokens = { input: 4, output: 6 }
          const refusals = new Set<string>()
          let [running, mostRunning, admitted, paid] = [0, 0, 0, 0]
          const call = async (plan: (typeof plans)[number], index: number) => {
            const request = buildRequest({ ...owners, tokens, ...paying(100), callId: `call ${index}` })
            // A turn of the scheduler before each step: others come in between.
            const turn = () => scheduler.schedule(Promise.resolve())
            await turn()
            const early = await limits.enter(request)
            if (early !== null) return refusals.add(early.refusal.code)
            running += 1
            mostRunning = Math.max(mostRunning, running)
            await turn()
            const decision = plan.ends === 'leave' ? null : await limits.admit(request)
            if (decision?.admitted === false) refusals.add(decision.refusal.code)
            if (plan.isSlow) await turn()
            // Counted as gone before its slot can be free.
            running -= 1
            if (decision?.admitted) {
              admitted += 1
              if (plan.ends === 'release') await limits.release(decision.hold)
              else {
                paid += 100
                await charge(decision.hold, { cost: nanoDollars(100), tokens: 10 })
              }
            }
            await turn()
            await limits.leave(request.callId)
            return undefined
          }
          await scheduler.waitFor(Promise.all(plans.map(call)))
          expect(mostRunning).toBeLessThanOrEqual(3)
          expect(admitted).toBeLessThanOrEqual(6)
          expect(paid).toBeLessThanOrEqual(500)
          expect(await limits.totals()).toEqual({ heldNanoDollars: 0, holds: 0, slots: 0 })
          expect<unknown>(await readSpendOf(limits, team, 0)).toEqual({ spent: paid, held: 0 })
          // Without any refusal every caller that asked was let in.
          const asked = plans.filter(({ ends }) => ends !== 'leave').length
          if (refusals.size === 0) expect(admitted).toBe(asked)
        }),
        { numRuns: isShared ? 30 : 200 },
      )
    })
  })
  if (isShared) describeSeveralProcesses(name, createEngine)
}

/** What only several processes on one state can get wrong. */
function describeSeveralProcesses(name: string, createEngine: CreateEngine): void {
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
    test('see the slots, windows and money that the others have taken, and what came free', async () => {
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

    test('a call that is refused on one process takes nothing there or on another', async () => {
      const { first, second } = await setUp()
      expect((await first().limits.admit(call(101))).admitted).toBe(false)
      expect((await second().limits.admit(call(100, 100))).admitted).toBe(true)
      expect(await first().limits.totals()).toEqual(nothing)
    })

    // Shown to fail where a sweep gives back what the windows have counted, or where the sweep takes the calls of the living.
    test('one is killed: its slots and money are free for the others, its requests and tokens stay counted', async () => {
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

    // Shown to fail where what a call has held is given back by its late charge as well.
    test('one sleeps past its lease: its charges count once when they come, and free nothing twice', async () => {
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

    test('a charge whose commit had no answer counts once', async () => {
      const { shared, first, second } = await setUp()
      const hold = holdOf(await first().limits.admit(call(40, 40)))
      await shared.chargeTwice(0, hold, { cost: nanoDollars(30), tokens: 10 })
      expect<unknown>(await readSpendOf(second().limits, team, 0)).toEqual({ spent: 30, held: 0 })
      expect(await running(second().limits)).toBe(0)
      expect((await second().limits.admit(call(70, 90))).admitted).toBe(true)
    })

    test('callers at once on all of them pass no limit', async () => {
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
