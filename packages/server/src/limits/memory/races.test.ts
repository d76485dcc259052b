// Thousands of random calls against the limits and, beside them, a slow and obvious bookkeeper that must always agree.
import { expect, test } from 'bun:test'
import { type NanoDollars, nanoDollars } from '../../ledger/money.ts'
import type { AdmissionRequest, Hold } from '../port.ts'
import { buildKey, buildModel, buildRequest, buildTeam } from '../testing/build-parties.ts'
import { createMemoryLimits } from './create-memory-limits.ts'

const minute = 60_000
const hour = 3_600_000

/** Small, seeded and good enough: mulberry32. */
function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return below => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

type Call = {
  readonly request: AdmissionRequest
  readonly hold: Hold
  readonly admittedAt: number
  /** Tokens that count now: reserved, or after the end what was used of these. */
  tokens: number
  state: 'running' | 'ended'
  cost: number
}

const models = [
  buildModel({ id: 'm1', rpmLimit: 12 }),
  buildModel({ id: 'm2', tpmLimit: 500 }),
  buildModel({ id: 'm3' }),
]
const hourlyBudget = { budgetDuration: '1h', budgetAnchor: 0 }
const teams = [
  buildTeam({
    teamId: 't1',
    rpmLimit: 15,
    tpmLimit: 900,
    maxBudget: nanoDollars(9_000_000),
    ...hourlyBudget,
  }),
  buildTeam({ teamId: 't2', modelRpmLimit: new Map([['m3', 4]]), maxBudget: nanoDollars(20_000_000) }),
]
const keys = [
  buildKey({
    keyHash: 'k1',
    teamId: 't1',
    maxParallelRequests: 4,
    maxBudget: nanoDollars(6_000_000),
    ...hourlyBudget,
  }),
  buildKey({
    keyHash: 'k2',
    teamId: 't1',
    rpmLimit: 6,
    modelMaxBudget: new Map([['m1', nanoDollars(1_500_000)]]),
  }),
  buildKey({ keyHash: 'k3', teamId: 't2', tpmLimit: 500, modelTpmLimit: new Map([['m3', 400]]) }),
]

function pick<Item>(items: readonly Item[], random: (below: number) => number): Item {
  const item = items[random(items.length)]
  if (item === undefined) throw new Error('Nothing to pick from.')
  return item
}

function buildRandomRequest(random: (below: number) => number): AdmissionRequest {
  const key = pick(keys, random)
  const team = teams.find(({ teamId }) => teamId === key.teamId) ?? pick(teams, random)
  const isInfo = random(10) === 0
  if (isInfo)
    return buildRequest({ team, key, model: null, countsRequest: false, estimate: { kind: 'none' } })
  const model = pick(models, random)
  if (random(3) === 0)
    return buildRequest({ team, key, model, estimate: { kind: 'fixed', cost: nanoDollars(random(60_000)) } })
  const askedOutput = 1 + random(200)
  return buildRequest({
    team,
    key,
    model,
    tokens: { input: 1 + random(60), output: askedOutput },
    estimate: {
      kind: 'tokens',
      count: 1 + random(2),
      inputTokens: 60,
      price: model.price,
      askedOutput,
      minimumOutput: Math.min(askedOutput, 20),
      reducible: random(2) === 0,
    },
  })
}

/** The owners of a call as the ledger names them, with budget and period length. */
function budgetsOf({ team, key, model }: AdmissionRequest) {
  const modelMaximum = model === null ? null : (key.modelMaxBudget.get(model.id) ?? null)
  return [
    {
      maximum: team.maxBudget,
      isHourly: team.budgetDuration === '1h',
      owns: (call: Call) => call.hold.teamId === team.teamId,
    },
    {
      maximum: key.maxBudget,
      isHourly: key.budgetDuration === '1h',
      owns: (call: Call) => call.hold.keyHash === key.keyHash,
    },
    {
      maximum: modelMaximum,
      isHourly: key.budgetDuration === '1h',
      owns: (call: Call) => call.hold.keyHash === key.keyHash && call.hold.modelId === (model?.id ?? null),
    },
  ]
}

/** Every window that the call is subject to. */
function windowsOf({ team, key, model }: AdmissionRequest) {
  const id = model?.id ?? ''
  const ofModel = (call: Call) => call.hold.modelId === id
  const ofTeam = (call: Call) => call.hold.teamId === team.teamId
  const ofKey = (call: Call) => call.hold.keyHash === key.keyHash
  return [
    { requests: model?.rpmLimit ?? null, tokens: model?.tpmLimit ?? null, owns: ofModel },
    { requests: team.rpmLimit, tokens: team.tpmLimit, owns: ofTeam },
    {
      requests: team.modelRpmLimit.get(id) ?? null,
      tokens: team.modelTpmLimit.get(id) ?? null,
      owns: (call: Call) => ofTeam(call) && ofModel(call),
    },
    { requests: key.rpmLimit, tokens: key.tpmLimit, owns: ofKey },
    {
      requests: key.modelRpmLimit.get(id) ?? null,
      tokens: key.modelTpmLimit.get(id) ?? null,
      owns: (call: Call) => ofKey(call) && ofModel(call),
    },
  ]
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function simulate(seed: number, steps: number): { admitted: number; refused: Map<string, number> } {
  const random = createRandom(seed)
  const time = { now: 10 * hour }
  const limits = createMemoryLimits({ clock: () => time.now })
  const calls: Call[] = []
  const refused = new Map<string, number>()

  const periodStart = (isHourly: boolean) => (isHourly ? Math.floor(time.now / hour) * hour : 0)
  const inWindow = (call: Call) => time.now - call.admittedAt < minute
  const moneyOf = (calls: readonly Call[]) =>
    sum(calls.map(call => (call.state === 'running' ? call.hold.amount : call.cost)))
  const figures = () => ({
    totals: limits.totals(),
    running: keys.map(key => limits.running(key.keyHash)),
    money: [
      ...keys.map(key =>
        limits.spendOf({ kind: 'key', keyHash: key.keyHash }, periodStart(key.budgetDuration === '1h')),
      ),
      ...teams.map(team =>
        limits.spendOf({ kind: 'team', teamId: team.teamId }, periodStart(team.budgetDuration === '1h')),
      ),
    ],
    rates: keys.flatMap(key => teams.flatMap(team => models.map(model => limits.rates(team, key, model)))),
  })

  const end = (call: Call) => {
    const isCharged = random(4) !== 0
    const { amount } = call.hold
    // Never above the hold: the simulation shows the bound of calls whose estimate was a ceiling.
    const cost: NanoDollars = isCharged
      ? nanoDollars(random(3) === 0 ? amount : random(amount + 1))
      : nanoDollars(0)
    const used = isCharged ? random(call.tokens + 1) : 0
    if (isCharged) limits.settle(call.hold, { cost, tokens: used })
    else limits.release(call.hold)
    if (random(5) === 0) limits.settle(call.hold, { cost: nanoDollars(999_999), tokens: 999_999 })
    call.state = 'ended'
    call.cost = cost
    call.tokens = used
  }

  for (let step = 0; step < steps; step += 1) {
    time.now += random(4) === 0 ? random(step % 97 === 0 ? hour : 4_000) : 0
    const running = calls.filter(call => call.state === 'running')
    if (running.length > 0 && random(5) < 2) {
      end(pick(running, random))
      continue
    }
    const request = buildRandomRequest(random)
    const before = figures()
    const decision = limits.admit(request)
    if (!decision.admitted) {
      refused.set(decision.refusal.code, (refused.get(decision.refusal.code) ?? 0) + 1)
      expect(figures()).toEqual(before)
    } else {
      const { hold } = decision
      const reserved = sum([request.tokens.input, request.tokens.output])
      calls.push({ request, hold, admittedAt: hold.admittedAt, tokens: reserved, state: 'running', cost: 0 })
      for (const { maximum, isHourly, owns } of budgetsOf(request)) {
        if (maximum === null) continue
        const ofPeriod = calls.filter(call => owns(call) && call.admittedAt >= periodStart(isHourly))
        expect(moneyOf(ofPeriod)).toBeLessThanOrEqual(maximum)
      }
      for (const { requests, tokens, owns } of windowsOf(request)) {
        const counted = calls.filter(call => owns(call) && inWindow(call) && call.request.countsRequest)
        if (requests !== null && request.countsRequest) expect(counted.length).toBeLessThanOrEqual(requests)
        if (tokens !== null && reserved > 0) {
          const capped = counted.map(call => Math.min(call.tokens, tokens))
          expect(sum(capped)).toBeLessThanOrEqual(tokens)
        }
      }
    }
    const nowRunning = calls.filter(call => call.state === 'running')
    for (const key of keys) {
      const ofKey = nowRunning.filter(call => call.hold.keyHash === key.keyHash)
      expect(limits.running(key.keyHash)).toBe(ofKey.length)
      expect(ofKey.length).toBeLessThanOrEqual(key.maxParallelRequests)
    }
    expect(limits.totals().heldNanoDollars).toBe(sum(nowRunning.map(call => call.hold.amount)))
  }

  for (const call of calls) if (call.state === 'running') end(call)
  expect(limits.totals()).toEqual({ heldNanoDollars: 0, holds: 0, slots: 0 })
  for (const team of teams) {
    const isHourly = team.budgetDuration === '1h'
    const start = periodStart(isHourly)
    const spent = sum(
      calls
        .filter(call => call.hold.teamId === team.teamId && call.admittedAt >= start)
        .map(call => call.cost),
    )
    expect<unknown>(limits.spendOf({ kind: 'team', teamId: team.teamId }, start)).toEqual({ spent, held: 0 })
  }
  return { admitted: calls.length, refused }
}

// Shown to guard: it fails when held money is left out of the budget decision, when a refusal has already taken from the
// windows, when a second settle of one hold counts, when a late charge moves the new period, and when a slot is not freed.
test('random calls: no budget, window or slot is ever passed, refusals take nothing, holds return to 0', () => {
  const firstSeed = Number(process.env.SIMULATION_SEED ?? Date.now() % 1_000_000)
  console.log(`limits simulation: SIMULATION_SEED=${firstSeed}`)
  for (let round = 0; round < 8; round += 1) simulate(firstSeed + round, 600)
})

test('such calls meet every limit; shown on seeds that stay the same, for others may miss one', () => {
  const codes = new Set<string>()
  for (const seed of [1, 2, 3, 4]) {
    const { admitted, refused } = simulate(seed, 600)
    expect(admitted).toBeGreaterThan(20)
    for (const code of refused.keys()) codes.add(code)
  }
  expect([...codes].sort()).toEqual([
    'budget_exceeded',
    'budget_held',
    'parallel_exceeded',
    'rpm_exceeded',
    'tpm_exceeded',
  ])
})

test('sixty-four callers on a budget for ten: exactly ten are admitted, whatever the order in which calls end', () => {
  const random = createRandom(7)
  const limits = createMemoryLimits({ clock: () => 0 })
  const team = buildTeam({ maxBudget: nanoDollars(1_000) })
  let paid = 0
  const running: Hold[] = []
  for (let attempt = 0; attempt < 64; attempt += 1) {
    const decision = limits.admit(buildRequest({ team, estimate: { kind: 'fixed', cost: nanoDollars(100) } }))
    if (decision.admitted) running.push(decision.hold)
    if (random(2) === 0) {
      const [hold] = running.splice(random(Math.max(1, running.length)), 1)
      if (hold === undefined) continue
      limits.settle(hold, { cost: hold.amount, tokens: 0 })
      paid += 1
    }
  }
  expect(paid + running.length).toBe(10)
})

test('after the announced wait the call is admitted when nothing else has come', () => {
  const random = createRandom(11)
  const time = { now: 0 }
  const limits = createMemoryLimits({ clock: () => time.now })
  const team = buildTeam({ rpmLimit: 5, tpmLimit: 300 })
  const key = buildKey({ rpmLimit: 4 })
  let refusals = 0
  for (let step = 0; step < 500; step += 1) {
    time.now += random(9_000)
    const request = buildRequest({ team, key, tokens: { input: 1 + random(100), output: random(150) } })
    const decision = limits.admit(request)
    if (decision.admitted) {
      limits.settle(decision.hold, { cost: nanoDollars(0), tokens: random(300) })
      continue
    }
    refusals += 1
    const { retryAfterSeconds } = decision.refusal
    if (retryAfterSeconds === null) throw new Error('Every call of this test fits an empty window.')
    time.now += retryAfterSeconds * 1000
    const again = limits.admit(request)
    expect(again.admitted).toBe(true)
    if (again.admitted) limits.release(again.hold)
  }
  expect(refusals).toBeGreaterThan(20)
})
