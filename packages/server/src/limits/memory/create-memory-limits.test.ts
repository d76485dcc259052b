import { describe, expect, test } from 'bun:test'
import { type NanoDollars, nanoDollars } from '../../ledger/money.ts'
import type { AdmissionRequest, Decision, Hold } from '../port.ts'
import { buildKey, buildModel, buildRequest, buildTeam } from '../testing/build-parties.ts'
import { createMemoryLimits } from './create-memory-limits.ts'

const day = 86_400_000
const team = { kind: 'team', teamId: 'team-1' } as const
const key = { kind: 'key', keyHash: 'key-1' } as const
const keyModel = { kind: 'key_model', keyHash: 'key-1', modelId: 'model-1' } as const

function setUp(start = 1_000_000) {
  const time = { now: start }
  const limits = createMemoryLimits({ clock: () => time.now })
  const admit = (changes: Partial<AdmissionRequest> = {}) => limits.admit(buildRequest(changes))
  return { time, limits, admit }
}

function holdOf(decision: Decision): Hold {
  if (!decision.admitted) throw new Error(`Refused: ${decision.refusal.code}`)
  return decision.hold
}

function paying(cost: number): { estimate: { kind: 'fixed'; cost: NanoDollars } } {
  return { estimate: { kind: 'fixed', cost: nanoDollars(cost) } }
}

describe('slots that are taken before it is known what the call wants', () => {
  const two = buildKey({ maxParallelRequests: 2 })
  const enter = (limits: ReturnType<typeof setUp>['limits'], callId: string) =>
    limits.enter({ callId, team: buildTeam(), key: two })

  test('count like running calls, for calls that are admitted without one too, and are free when the call leaves', () => {
    const { limits, admit } = setUp()
    expect([enter(limits, 'a'), enter(limits, 'b')]).toEqual([null, null])
    expect(limits.running('key-1')).toBe(2)
    expect(limits.totals().slots).toBe(2)
    expect(enter(limits, 'c')).toMatchObject({ refusal: { code: 'parallel_exceeded', limit: 2, used: 2 } })
    expect(admit({ key: two, callId: 'd' })).toMatchObject({ refusal: { code: 'parallel_exceeded' } })
    limits.leave('a')
    limits.leave('a')
    expect(limits.running('key-1')).toBe(1)
    expect(enter(limits, 'c')).toBeNull()
  })

  test('become the slot of the hold, which then owns it: it is counted once and freed once', () => {
    const { limits, admit } = setUp()
    enter(limits, 'a')
    enter(limits, 'b')
    const hold = holdOf(admit({ key: two, callId: 'a' }))
    expect([limits.running('key-1'), limits.totals().slots]).toEqual([2, 2])
    limits.leave('a')
    expect([limits.running('key-1'), limits.totals().slots]).toEqual([2, 2])
    limits.release(hold)
    limits.leave('a')
    expect([limits.running('key-1'), limits.totals().slots]).toEqual([1, 1])
  })

  test('stay with a call that is refused, until it leaves', () => {
    const { limits, admit } = setUp()
    enter(limits, 'a')
    expect(admit({ key: { ...two, rpmLimit: 0 }, callId: 'a' })).toMatchObject({
      refusal: { code: 'rpm_exceeded' },
    })
    expect(limits.running('key-1')).toBe(1)
    limits.leave('a')
    expect([limits.running('key-1'), limits.totals().slots]).toEqual([0, 0])
  })

  test('survive the clearing of idle owners', () => {
    const { limits, time } = setUp()
    enter(limits, 'a')
    time.now += 10 * 60_000
    enter(limits, 'b')
    expect(enter(limits, 'c')).toMatchObject({ refusal: { code: 'parallel_exceeded' } })
  })
})

test('what refuses any call is foreseen without taking anything', () => {
  const { limits, admit } = setUp()
  const foresee = (changes: Parameters<typeof buildKey>[0], leastCost = 1) =>
    limits.foresee({ team: buildTeam(), key: buildKey(changes), leastCost: nanoDollars(leastCost) })
  expect(foresee({ rpmLimit: 1 })).toBeNull()
  limits.settle(holdOf(admit({ key: buildKey({ rpmLimit: 1 }), ...paying(100) })), {
    cost: nanoDollars(100),
    tokens: 0,
  })
  expect(foresee({ rpmLimit: 1 })).toMatchObject({
    refusal: { code: 'rpm_exceeded', level: 'key', retryAfterSeconds: 60 },
  })
  expect(foresee({ maxBudget: nanoDollars(101) })).toBeNull()
  expect(foresee({ maxBudget: nanoDollars(100) })).toMatchObject({ refusal: { code: 'budget_exceeded' } })
  // A model without a price can still be called.
  expect(foresee({ maxBudget: nanoDollars(100) }, 0)).toBeNull()
  // Held money may be back when the body has arrived.
  admit({ callId: 'holding', key: buildKey({ maxBudget: nanoDollars(200) }), ...paying(100) })
  expect(foresee({ maxBudget: nanoDollars(200) })).toBeNull()
  expect(limits.totals().slots).toBe(1)
})

describe('parallel slots', () => {
  test('exactly max_parallel_requests run, calls for information included, and every way out frees one', () => {
    const { limits, admit } = setUp()
    const two = buildKey({ maxParallelRequests: 2 })
    const first = holdOf(admit({ key: two }))
    const info = holdOf(admit({ key: two, model: null, countsRequest: false, estimate: { kind: 'none' } }))
    expect(limits.running('key-1')).toBe(2)
    expect(admit({ key: two })).toMatchObject({
      refusal: { code: 'parallel_exceeded', level: 'key', limit: 2, used: 2, retryAfterSeconds: 1 },
    })
    limits.release(info)
    const second = holdOf(admit({ key: two }))
    limits.settle(first, { cost: nanoDollars(0), tokens: 0 })
    expect(limits.running('key-1')).toBe(1)
    limits.release(second)
    expect(limits.totals()).toEqual({ heldNanoDollars: 0, holds: 0, slots: 0 })
  })

  test('a slot is held for longer than the window', () => {
    const { limits, admit, time } = setUp()
    holdOf(admit({ key: buildKey({ maxParallelRequests: 1 }) }))
    time.now += 3 * day
    expect(admit({ key: buildKey({ maxParallelRequests: 1 }) }).admitted).toBe(false)
    expect(limits.running('key-1')).toBe(1)
  })
})

describe('windows', () => {
  const one = new Map([['model-1', 1]])
  const levels: [string, Partial<AdmissionRequest>][] = [
    ['service_model', { model: buildModel({ rpmLimit: 1 }) }],
    ['team', { team: buildTeam({ rpmLimit: 1 }) }],
    ['team_model', { team: buildTeam({ modelRpmLimit: one }) }],
    ['key', { key: buildKey({ rpmLimit: 1 }) }],
    ['key_model', { key: buildKey({ modelRpmLimit: one }) }],
  ]
  test.each(levels)(
    '%s: the second request in 60 s is refused, also after the first was released',
    (level, changes) => {
      const { limits, admit, time } = setUp()
      limits.release(holdOf(admit(changes)))
      time.now += 59_999
      expect(admit(changes)).toMatchObject({
        refusal: { code: 'rpm_exceeded', level, limit: 1, used: 1, retryAfterSeconds: 1 },
      })
      time.now += 1
      expect(admit(changes).admitted).toBe(true)
    },
  )

  const hundred = new Map([['model-1', 100]])
  const tokenLevels: [string, Partial<AdmissionRequest>][] = [
    ['service_model', { model: buildModel({ tpmLimit: 100 }) }],
    ['team', { team: buildTeam({ tpmLimit: 100 }) }],
    ['team_model', { team: buildTeam({ modelTpmLimit: hundred }) }],
    ['key', { key: buildKey({ tpmLimit: 100 }) }],
    ['key_model', { key: buildKey({ modelTpmLimit: hundred }) }],
  ]
  test.each(tokenLevels)('%s: reserved tokens refuse, and what was not used comes back', (level, changes) => {
    const { limits, admit } = setUp()
    const call = { ...changes, tokens: { input: 30, output: 500 } }
    const hold = holdOf(admit(call))
    expect(admit(call)).toMatchObject({ refusal: { code: 'tpm_exceeded', level, limit: 100, used: 100 } })
    limits.settle(hold, { cost: nanoDollars(0), tokens: 40 })
    expect(admit({ ...changes, tokens: { input: 30, output: 30 } }).admitted).toBe(true)
    expect(admit({ ...changes, tokens: { input: 1, output: 0 } }).admitted).toBe(false)
  })

  test('team windows are shared by its keys, a model window is not shared by models', () => {
    const { admit } = setUp()
    const shared = buildTeam({ rpmLimit: 1 })
    expect(admit({ team: shared, key: buildKey({ keyHash: 'a' }) }).admitted).toBe(true)
    expect(admit({ team: shared, key: buildKey({ keyHash: 'b' }) }).admitted).toBe(false)
    const other = buildTeam({
      teamId: 'team-2',
      modelRpmLimit: new Map([
        ['model-1', 1],
        ['model-2', 1],
      ]),
    })
    expect(admit({ team: other }).admitted).toBe(true)
    expect(admit({ team: other, model: buildModel({ id: 'model-2' }) }).admitted).toBe(true)
    expect(admit({ team: other }).admitted).toBe(false)
  })

  test('a limit changed at run time counts what has already passed', () => {
    const { admit } = setUp()
    for (let count = 0; count < 5; count += 1) holdOf(admit({ team: buildTeam({ rpmLimit: 5 }) }))
    expect(admit({ team: buildTeam({ rpmLimit: 3 }) })).toMatchObject({ refusal: { limit: 3, used: 5 } })
    expect(admit({ team: buildTeam({ rpmLimit: 6 }) }).admitted).toBe(true)
  })

  test('a clock that steps back frees nothing', () => {
    const { admit, time } = setUp()
    holdOf(admit({ team: buildTeam({ rpmLimit: 1 }) }))
    time.now -= 300_000
    expect(admit({ team: buildTeam({ rpmLimit: 1 }) })).toMatchObject({ refusal: { retryAfterSeconds: 60 } })
  })

  test('the snapshot shows the tightest window, also without a call', () => {
    const { limits, admit } = setUp()
    const owners = { team: buildTeam({ rpmLimit: 10, tpmLimit: 1000 }), key: buildKey({ rpmLimit: 4 }) }
    const decision = admit({ ...owners, tokens: { input: 100, output: 50 } })
    const rates = {
      requests: { limit: 4, remaining: 3, resetMs: 60_000 },
      tokens: { limit: 1000, remaining: 850, resetMs: 60_000 },
    }
    expect(decision.rates).toEqual(rates)
    expect(limits.rates(owners.team, owners.key)).toEqual(rates)
    expect(limits.rates(owners.team, owners.key, buildModel({ rpmLimit: 2 })).requests?.limit).toBe(2)
  })
})

describe('budgets', () => {
  const budgets: [string, Partial<AdmissionRequest>][] = [
    ['team', { team: buildTeam({ maxBudget: nanoDollars(100) }) }],
    ['key', { key: buildKey({ maxBudget: nanoDollars(100) }) }],
    ['key_model', { key: buildKey({ modelMaxBudget: new Map([['model-1', nanoDollars(100)]]) }) }],
  ]
  test.each(budgets)(
    '%s: exactly ⌊budget / price⌋ calls at once; the rest is held, then exceeded',
    (level, changes) => {
      const { limits, admit } = setUp()
      const holds = [1, 2, 3].map(() => holdOf(admit({ ...changes, ...paying(33) })))
      expect(admit({ ...changes, ...paying(2) })).toMatchObject({
        refusal: { code: 'budget_held', level, used: 0, held: 99 },
      })
      expect(admit({ ...changes, ...paying(1) }).admitted).toBe(true)
      for (const hold of holds) limits.settle(hold, { cost: nanoDollars(33), tokens: 0 })
      expect(admit({ ...changes, ...paying(2) })).toMatchObject({
        refusal: { code: 'budget_exceeded', level, used: 99, held: 1 },
      })
    },
  )

  test('the order of refusal is parallel, requests, tokens, budget', () => {
    const { admit } = setUp()
    const full = {
      team: buildTeam({ rpmLimit: 0, tpmLimit: 0, maxBudget: nanoDollars(0) }),
      tokens: { input: 1, output: 1 },
      ...paying(1),
    }
    const codeOf = (changes: Partial<AdmissionRequest>) => {
      const decision = admit(changes)
      return decision.admitted ? null : decision.refusal.code
    }
    expect(codeOf({ ...full, key: buildKey({ maxParallelRequests: 0 }) })).toBe('parallel_exceeded')
    expect(codeOf(full)).toBe('rpm_exceeded')
    expect(codeOf({ ...full, team: { ...full.team, rpmLimit: null } })).toBe('tpm_exceeded')
    expect(codeOf({ ...full, team: { ...full.team, rpmLimit: null, tpmLimit: null } })).toBe(
      'budget_exceeded',
    )
  })

  test('a refund gives team, key and model their money back, for the next call to spend', () => {
    const { limits, admit } = setUp()
    const lean = {
      team: buildTeam({ maxBudget: nanoDollars(10) }),
      key: buildKey({ modelMaxBudget: new Map([['model-1', nanoDollars(10)]]) }),
    }
    const hold = holdOf(admit({ ...lean, ...paying(10) }))
    limits.settle(hold, { cost: nanoDollars(10), tokens: 0 })
    expect(admit({ ...lean, ...paying(1) }).admitted).toBe(false)
    limits.refund({ ...hold, cost: nanoDollars(4) })
    const { team: teamPeriod, key: keyPeriod } = hold.periods
    expect(limits.spendOf(team, teamPeriod).spent).toBe(nanoDollars(6))
    expect(limits.spendOf(key, keyPeriod).spent).toBe(nanoDollars(6))
    expect(limits.spendOf(keyModel, keyPeriod).spent).toBe(nanoDollars(6))
    expect(admit({ ...lean, ...paying(5) }).admitted).toBe(false)
    expect(admit({ ...lean, ...paying(4) }).admitted).toBe(true)
  })

  test('only the first of settle and release counts, and only for the very hold', () => {
    const { limits, admit } = setUp()
    const hold = holdOf(admit({ ...paying(10), callId: 'again' }))
    limits.settle(hold, { cost: nanoDollars(4), tokens: 0 })
    limits.settle(hold, { cost: nanoDollars(4), tokens: 0 })
    limits.release(hold)
    expect<unknown>(limits.spendOf(team, 0)).toEqual({ spent: 4, held: 0 })
    const second = holdOf(admit({ ...paying(10), callId: 'again' }))
    limits.release(hold)
    expect(limits.totals()).toEqual({ heldNanoDollars: 10, holds: 1, slots: 1 })
    limits.release(second)
    limits.settle(second, { cost: nanoDollars(9), tokens: 0 })
    for (const owner of [team, key, keyModel])
      expect<unknown>(limits.spendOf(owner, 0)).toEqual({ spent: 4, held: 0 })
  })

  test('the same call id cannot run twice', () => {
    const { admit } = setUp()
    holdOf(admit({ callId: 'same' }))
    expect(() => admit({ callId: 'same' })).toThrow('already running')
  })

  test('a call that cannot be priced throws and takes nothing', () => {
    const { limits, admit } = setUp()
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
    expect(() => admit({ estimate, team: buildTeam({ rpmLimit: 1 }) })).toThrow('outputText')
    expect(limits.totals().slots).toBe(0)
    expect(admit({ team: buildTeam({ rpmLimit: 1 }) }).admitted).toBe(true)
  })
})

describe('periods', () => {
  const daily = { team: buildTeam({ maxBudget: nanoDollars(100), budgetDuration: '1d', budgetAnchor: 0 }) }

  test('a budget resets when next looked at; a late charge belongs to the period of its admission', () => {
    const { limits, admit, time } = setUp(day - 1)
    const late = holdOf(admit({ ...daily, ...paying(100) }))
    expect(late.periods).toEqual({ team: 0, key: 0 })
    expect(admit({ ...daily, ...paying(1) })).toMatchObject({
      refusal: { code: 'budget_held', resetAt: day },
    })
    time.now = day
    const fresh = holdOf(admit({ ...daily, ...paying(60) }))
    expect(fresh.periods).toEqual({ team: day, key: 0 })
    limits.settle(late, { cost: nanoDollars(100), tokens: 0 })
    expect<unknown>(limits.spendOf(team, day)).toEqual({ spent: 0, held: 60 })
    expect<unknown>(limits.spendOf(key, 0)).toEqual({ spent: 100, held: 60 })
    expect(limits.totals().heldNanoDollars).toBe(60)
  })

  test('the spend of a period that ended without any call is 0', () => {
    const { limits, admit } = setUp()
    limits.settle(holdOf(admit({ ...daily, ...paying(7) })), { cost: nanoDollars(7), tokens: 0 })
    expect<number>(limits.spendOf(team, 0).spent).toBe(7)
    expect<number>(limits.spendOf(team, day).spent).toBe(0)
  })

  test('loaded totals count in their period, for team, key and key with model', () => {
    const { limits, admit } = setUp(day + 5)
    limits.load([
      { owner: team, periodStart: day, spent: nanoDollars(70) },
      { owner: key, periodStart: 0, spent: nanoDollars(80) },
      { owner: keyModel, periodStart: 0, spent: nanoDollars(30) },
    ])
    expect(admit({ ...daily, ...paying(31) })).toMatchObject({
      refusal: { code: 'budget_exceeded', used: 70, resetAt: 2 * day },
    })
    limits.settle(holdOf(admit({ ...daily, ...paying(30) })), { cost: nanoDollars(30), tokens: 0 })
    expect(
      [limits.spendOf(team, day), limits.spendOf(key, 0), limits.spendOf(keyModel, 0)].map(({ spent }) =>
        Number(spent),
      ),
    ).toEqual([100, 110, 60])
  })

  test('a loaded total of a period that is over does not count', () => {
    const { limits, admit } = setUp(day + 5)
    limits.load([{ owner: team, periodStart: 0, spent: nanoDollars(100) }])
    expect(admit({ ...daily, ...paying(100) }).admitted).toBe(true)
  })
})

describe('memory', () => {
  // Shown to guard: without the call of pruneOwnerStates all 5,000 owners stay.
  test('owners that are idle and have spent nothing are forgotten; money and running calls are not', () => {
    const { limits, admit, time } = setUp()
    for (let index = 0; index < 5000; index += 1) {
      const owners = {
        team: buildTeam({ teamId: `t${index}`, rpmLimit: 5, tpmLimit: 500 }),
        key: buildKey({ keyHash: `k${index}` }),
      }
      limits.release(holdOf(admit({ ...owners, tokens: { input: 5, output: 5 } })))
    }
    const spender = { team: buildTeam({ teamId: 'spender' }), key: buildKey({ keyHash: 'spender' }) }
    limits.settle(holdOf(admit({ ...spender, ...paying(5) })), { cost: nanoDollars(5), tokens: 0 })
    const runner = holdOf(
      admit({ team: buildTeam({ teamId: 'runner' }), key: buildKey({ keyHash: 'runner' }) }),
    )
    // As once a second: what has not been written down is not forgotten.
    limits.gatherWindows('second')?.written()
    time.now += 120_000
    holdOf(admit())
    expect(limits.owners()).toBe(7)
    expect<number>(
      limits.spendOf({ kind: 'key_model', keyHash: 'spender', modelId: 'model-1' }, 0).spent,
    ).toBe(5)
    limits.release(runner)
    expect(limits.running('runner')).toBe(0)
  })

  // Fails when idle owners are forgotten whether or not their last change has been written.
  test('what a call gave back is written down, though its owner has been idle since', () => {
    const { limits, admit, time } = setUp()
    const look = () => limits.rates(buildTeam({ teamId: 'other' }), buildKey({ keyHash: 'other' }))
    look()
    time.now += 59_999
    const owners = { team: buildTeam({ tpmLimit: 100 }), key: buildKey({}) }
    const hold = holdOf(admit({ ...owners, tokens: { input: 5, output: 5 } }))
    limits.gatherWindows('second')?.written()
    limits.settle(hold, { cost: nanoDollars(0), tokens: 0 })
    time.now += 1
    look()
    const gathered = limits.gatherWindows('second')
    expect(gathered?.windows.map(({ seconds }) => seconds.map(({ tokens }) => tokens))).toEqual([[0]])
  })

  test('an excess that becomes known after an idle hour still counts', () => {
    const { limits, admit, time } = setUp()
    const capped = { team: buildTeam({ tpmLimit: 100 }), tokens: { input: 10, output: 10 } }
    const slow = holdOf(admit(capped))
    time.now += 3_600_000
    limits.settle(slow, { cost: nanoDollars(0), tokens: 115 })
    expect(admit(capped)).toMatchObject({ refusal: { code: 'tpm_exceeded', used: 95 } })
  })
})
