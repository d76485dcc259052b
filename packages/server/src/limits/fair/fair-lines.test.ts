// A scarce model is shared evenly among the teams that ask for it, nothing idles, and no limit is exceeded.
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { buildLevels } from '../build-levels.ts'
import { LevelsOver } from '../levels.ts'
import { createMemoryLimits } from '../memory/create-memory-limits.ts'
import type { AdmissionRequest, Limits } from '../port.ts'
import { buildKey, buildModel, buildTeam } from '../testing/build-parties.ts'
import type { Patience } from './fair-line.ts'
import { FairLines } from './fair-lines.ts'

/** A clock that stands still until it is moved, with its timers. */
class World {
  now = 1_000_000
  #timers: { at: number; run: () => void }[] = []
  readonly limits = createMemoryLimits({ clock: () => this.now })
  asked = 0
  readonly admit: Limits['admit'] = request => {
    this.asked += 1
    return this.limits.admit(request)
  }
  readonly lines: FairLines

  constructor(admit?: Limits['admit']) {
    this.lines = new FairLines({ admit: admit ?? this.admit, clock: () => this.now, after: this.after })
  }

  readonly after = (milliseconds: number, run: () => void) => {
    const timer = { at: this.now + milliseconds, run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter(each => each !== timer)
    }
  }

  wait(milliseconds: number): Promise<void> {
    return new Promise(resolve => this.after(milliseconds, resolve))
  }

  /** Runs every timer that is due until then, each at its own time, with its consequences. */
  async move(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds
    await settled()
    for (;;) {
      const next = this.#timers.reduce<{ at: number; run: () => void } | null>(
        (least, each) => (least === null || each.at < least.at ? each : least),
        null,
      )
      if (next === null || next.at > end) break
      this.#timers = this.#timers.filter(each => each !== next)
      this.now = Math.max(this.now, next.at)
      next.run()
      await settled()
    }
    this.now = end
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await Promise.resolve()
}

function buildCall(
  teamId: string,
  limits: { rpm?: number; tpm?: number; ownRpm?: number },
  tokens = 0,
): AdmissionRequest {
  const model = buildModel({ rpmLimit: limits.rpm ?? null, tpmLimit: limits.tpm ?? null })
  const team = buildTeam({ teamId, rpmLimit: limits.ownRpm ?? null })
  return {
    callId: randomUUID(),
    levels: buildLevels(team, buildKey({ teamId, keyHash: `key-of-${teamId}` }), model),
    tokens: { input: tokens, output: 0 },
    estimate: { kind: 'none' },
    countsRequest: true,
  }
}

const patient = (waitMs = 5000, signal = new AbortController().signal): Patience => ({
  waitMs,
  signal: () => signal,
})

/** Calls continuously, `workers` at once, each `callMs` long; waits as a refusal says, or not at all. */
function play(
  world: World,
  given: Map<string, number[]>,
  team: { id: string; workers: number; callMs: number; obeys: boolean },
  limits: { rpm?: number; tpm?: number },
  tokens = 0,
): void {
  const times: number[] = []
  given.set(team.id, times)
  const work = async () => {
    for (;;) {
      const decision = await world.lines.admit(buildCall(team.id, limits, tokens), patient())
      if (decision.admitted) {
        times.push(world.now)
        await world.wait(team.callMs)
        world.limits.settle(decision.hold, { cost: decision.hold.amount, tokens })
        world.lines.noteServed('model-1', team.id)
      } else {
        await world.wait(team.obeys ? (decision.refusal.retryAfterSeconds ?? 1) * 1000 : 200)
      }
    }
  }
  for (let worker = 0; worker < team.workers; worker += 1) void work()
}

const ordinary = Array.from({ length: 10 }, (_, index) => `team-${index}`)

for (const [what, limits, tokens, perMinute] of [
  ['requests', { rpm: 110 }, 0, 110],
  ['requests of a larger window', { rpm: 330 }, 0, 330],
  ['tokens', { tpm: 110_000 }, 1000, 110],
] as const) {
  test(`one team that loops and ten ordinary ones get equal shares of ${what}, and the window is used up`, async () => {
    const world = new World()
    const given = new Map<string, number[]>()
    play(world, given, { id: 'loops', workers: 30, callMs: 400, obeys: false }, limits, tokens)
    for (const id of ordinary)
      play(world, given, { id, workers: 5, callMs: 900, obeys: true }, limits, tokens)
    const minutes = 3
    await world.move(60_000)
    const from = world.now
    await world.move(minutes * 60_000)
    const counts = new Map([...given].map(([id, times]) => [id, times.filter(at => at >= from).length]))
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
    expect(all).toBeGreaterThanOrEqual(0.95 * perMinute * minutes)
    expect(all).toBeLessThanOrEqual(perMinute * (minutes + 1))
    const fair = (perMinute * minutes) / 11
    for (const id of ordinary) {
      expect(counts.get(id) ?? 0).toBeGreaterThanOrEqual(0.8 * fair)
      expect(counts.get(id) ?? 0).toBeLessThanOrEqual(1.2 * fair)
    }
  })
}

test('without queues the looping team gets nearly everything: the test above depends on the sharing', async () => {
  const world = new World()
  const given = new Map<string, number[]>()
  const direct = { ...world, lines: { admit: world.admit, noteServed: () => undefined } } as unknown as World
  Object.defineProperty(direct, 'now', { get: () => world.now })
  direct.wait = world.wait.bind(world)
  play(direct, given, { id: 'loops', workers: 30, callMs: 400, obeys: false }, { rpm: 110 })
  for (const id of ordinary) play(direct, given, { id, workers: 5, callMs: 900, obeys: true }, { rpm: 110 })
  await world.move(180_000)
  const most = Math.max(...ordinary.map(id => given.get(id)?.length ?? 0))
  expect(given.get('loops')?.length ?? 0).toBeGreaterThan(4 * most)
})

// Shown to fail if what was given counts forever: the team that was there first then gets nothing.
test('calls that a team was given more than a minute ago do not count against it', async () => {
  const world = new World()
  const given = new Map<string, number[]>()
  play(world, given, { id: 'early', workers: 20, callMs: 300, obeys: true }, { rpm: 60 })
  await world.move(180_000)
  play(world, given, { id: 'late', workers: 20, callMs: 300, obeys: true }, { rpm: 60 })
  await world.move(60_000)
  const from = world.now
  await world.move(60_000)
  for (const id of ['early', 'late']) {
    const count = (given.get(id) ?? []).filter(at => at >= from).length
    expect(count).toBeGreaterThanOrEqual(24)
    expect(count).toBeLessThanOrEqual(36)
  }
})

test('a burst of two teams gets the whole window, in equal parts', async () => {
  const world = new World()
  const calls = Array.from({ length: 110 }, (_, index) =>
    Promise.resolve(world.lines.admit(buildCall(index % 2 === 0 ? 'a' : 'b', { rpm: 104 }), patient())),
  )
  await world.move(5000)
  const decisions = await Promise.all(calls)
  expect(decisions.filter(({ admitted }, index) => admitted && index % 2 === 0)).toHaveLength(52)
  expect(decisions.filter(({ admitted }, index) => admitted && index % 2 === 1)).toHaveLength(52)
  expect(world.now).toBe(1_005_000)
})

test('a single team is never held back, and gets the refusal of the window when its wait is over', async () => {
  const world = new World()
  for (let call = 0; call < 10; call += 1) {
    const decision = await world.lines.admit(buildCall('alone', { rpm: 10 }), patient())
    expect(decision.admitted).toBe(true)
  }
  const asked = world.now
  const refused = Promise.resolve(world.lines.admit(buildCall('alone', { rpm: 10 }), patient()))
  await world.move(5000)
  const decision = await refused
  expect(decision).toMatchObject({
    admitted: false,
    refusal: { code: 'rpm_exceeded', level: 'service_model', limit: 10, used: 10, resetAt: asked + 60_000 },
  })
  expect(world.lines.countWaiting()).toBe(0)
})

test('a call waits until there is room, and is let through at that moment', async () => {
  const world = new World()
  await world.lines.admit(buildCall('first', { rpm: 1 }), patient())
  const began = world.now
  await world.move(57_000)
  const waiting = Promise.resolve(world.lines.admit(buildCall('second', { rpm: 1 }), patient()))
  await world.move(2999)
  expect(world.lines.countWaiting()).toBe(1)
  await world.move(1)
  expect((await waiting).admitted).toBe(true)
  expect(world.now).toBe(began + 60_000)
})

test('a call that does not want to wait is refused at once, also while others wait', async () => {
  const world = new World()
  await world.lines.admit(buildCall('first', { rpm: 1 }), patient())
  const waiting = Promise.resolve(world.lines.admit(buildCall('second', { rpm: 1 }), patient()))
  const decision = await world.lines.admit(buildCall('third', { rpm: 1 }), patient(0))
  expect(decision).toMatchObject({ admitted: false, refusal: { level: 'service_model' } })
  await world.move(5000)
  expect((await waiting).admitted).toBe(false)
})

test('a call gives up its place when its client leaves', async () => {
  const world = new World()
  await world.lines.admit(buildCall('first', { rpm: 1 }), patient())
  await world.move(56_000)
  const leaving = new AbortController()
  const left = Promise.resolve(
    world.lines.admit(buildCall('second', { rpm: 1 }), patient(5000, leaving.signal)),
  )
  const stays = Promise.resolve(world.lines.admit(buildCall('third', { rpm: 1 }), patient()))
  await world.move(100)
  leaving.abort()
  expect((await left).admitted).toBe(false)
  await world.move(4000)
  expect((await stays).admitted).toBe(true)
})

test('a call refused by another limit neither waits nor keeps others waiting', async () => {
  const world = new World()
  await world.lines.admit(buildCall('a', { rpm: 2 }), patient())
  await world.lines.admit(buildCall('b', { rpm: 2, ownRpm: 1 }), patient())
  await world.move(58_000)
  const own = Promise.resolve(world.lines.admit(buildCall('b', { rpm: 2, ownRpm: 1 }), patient()))
  const other = Promise.resolve(world.lines.admit(buildCall('c', { rpm: 2 }), patient()))
  expect(await own).toMatchObject({ admitted: false, refusal: { level: 'team' } })
  await world.move(2500)
  expect((await other).admitted).toBe(true)
})

test('a model without a service-wide window has no queue', () => {
  const world = new World()
  const decision = world.lines.admit(buildCall('a', {}), patient())
  expect(decision).not.toBeInstanceOf(Promise)
  expect(world.asked).toBe(1)
})

test('if the limits fail, the waiting call is rejected, and the next one is tried', async () => {
  let isAway = false
  const limits = createMemoryLimits({ clock: () => world.now })
  const world: World = new World(async request => {
    if (isAway) throw new Error('away')
    return limits.admit(request)
  })
  await world.lines.admit(buildCall('a', { rpm: 1 }), patient())
  await world.move(58_000)
  const first = Promise.resolve(world.lines.admit(buildCall('b', { rpm: 1 }), patient())).catch(String)
  await world.move(1000)
  isAway = true
  await world.move(1500)
  expect(await first).toBe('Error: away')
  isAway = false
  const second = await world.lines.admit(buildCall('c', { rpm: 1 }), patient())
  expect(second.admitted).toBe(true)
})

// Shown to fail with queues that do not catch errors of the in-memory limits: the timer breaks, and the call is never answered.
test('a call that waits past the end of its phase is refused for that when its wait is over', async () => {
  const world = new World()
  const call = (teamId: string) => {
    const { levels, ...request } = buildCall(teamId, { rpm: 1 })
    return { ...request, levels: { ...levels, until: world.now + 3000 } }
  }
  await world.lines.admit(call('a'), patient())
  const waiting = Promise.resolve(world.lines.admit(call('b'), patient())).catch((error: unknown) => error)
  await world.move(5000)
  expect(await waiting).toBeInstanceOf(LevelsOver)
  expect(world.lines.countWaiting()).toBe(0)
})

test('a busy upstream slows teams down together, and they speed up again', async () => {
  const world = new World()
  await world.lines.admit(buildCall('a', { rpm: 100_000 }), patient())
  await world.lines.admit(buildCall('b', { rpm: 100_000 }), patient())
  await world.move(20_000)
  world.lines.noteBusy('model-1', 'a', 60_000)
  world.lines.noteBusy('model-1', 'b', 60_000)
  const began = world.now
  const waiting = [1, 2].map(() =>
    Promise.resolve(world.lines.admit(buildCall('b', { rpm: 100_000 }), patient())),
  )
  await world.move(999)
  expect(world.lines.countWaiting()).toBe(2)
  await world.move(1)
  expect((await waiting[0])?.admitted).toBe(true)
  expect(world.now).toBe(began + 1000)
  const given = new Map<string, number[]>()
  play(world, given, { id: 'a', workers: 20, callMs: 200, obeys: false }, { rpm: 100_000 })
  await world.move(60_000)
  const inSecond = (second: number) =>
    (given.get('a') ?? []).filter(at => Math.floor((at - began) / 1000) === second).length
  expect(inSecond(5)).toBeLessThan(5)
  expect(inSecond(55)).toBeGreaterThan(8)
})

/** One call of each team, 20 seconds after its queue was opened: who else calls is known by then. */
async function open(world: World, teams: readonly string[]): Promise<void> {
  for (const team of teams) await world.lines.admit(buildCall(team, { rpm: 100_000 }), patient())
  await world.move(20_000)
}

// Shown to fail with queues in which any waiting call keeps all others waiting.
test('a team waits for its own refusals, and calls of other teams pass it', async () => {
  const world = new World()
  await open(world, ['a', 'b', 'c'])
  world.lines.noteBusy('model-1', 'a', 60_000)
  const began = world.now
  const first = Promise.resolve(world.lines.admit(buildCall('a', { rpm: 100_000 }), patient()))
  for (const team of ['b', 'c', 'b'])
    expect(world.lines.admit(buildCall(team, { rpm: 100_000 }), patient())).not.toBeInstanceOf(Promise)
  expect(await world.lines.admit(buildCall('a', { rpm: 100_000 }), patient(0))).toMatchObject({
    admitted: false,
    refusal: { level: 'team_model', resetAt: began + 1000, retryAfterSeconds: 1 },
  })
  await world.move(999)
  expect(world.lines.countWaiting()).toBe(1)
  await world.move(1)
  expect((await first).admitted).toBe(true)
})

// Shown to fail by a pace that falls again while the refusals before still count.
test('after all teams have slowed down, refusals of one slow down only that team', async () => {
  const world = new World()
  await open(world, ['a', 'b', 'c'])
  for (const team of ['a', 'b']) world.lines.noteBusy('model-1', team, 60_000)
  expect(await world.lines.admit(buildCall('c', { rpm: 100_000 }), patient(0))).toMatchObject({
    refusal: { level: 'service_model', limit: 60 },
  })
  await world.move(1000)
  world.lines.noteBusy('model-1', 'a', 60_000)
  expect(world.lines.admit(buildCall('c', { rpm: 100_000 }), patient(0))).toMatchObject({ admitted: true })
})

/** Two processes with their own queues, which report to each other. */
async function openTwo(teams: readonly string[]) {
  const world = new World()
  const other = new FairLines({ admit: world.admit, clock: () => world.now, after: world.after })
  await open(world, teams)
  for (const team of teams) await other.admit(buildCall(team, { rpm: 100_000 }), patient())
  const exchange = () => {
    const [here, there] = [world.lines.report() ?? {}, other.report() ?? {}]
    world.lines.hear(new Map([['other', there]]))
    other.hear(new Map([['this', here]]))
  }
  return { world, other, exchange }
}

// Shown to fail by reports without refusals.
test('refusals of multiple teams slow down all, even if each gets them from another process', async () => {
  const { world, other, exchange } = await openTwo(['a', 'b', 'c'])
  world.lines.noteBusy('model-1', 'a', 60_000)
  exchange()
  other.noteBusy('model-1', 'a', 60_000)
  exchange()
  other.noteBusy('model-1', 'a', 60_000)
  expect(world.lines.admit(buildCall('c', { rpm: 100_000 }), patient(0))).toMatchObject({ admitted: true })
  await world.move(10_000)
  other.noteBusy('model-1', 'b', 60_000)
  exchange()
  world.lines.noteBusy('model-1', 'a', 60_000)
  expect(await world.lines.admit(buildCall('c', { rpm: 100_000 }), patient(0))).toMatchObject({
    refusal: { level: 'service_model' },
  })
})

// Shown to fail by a process that reports how long its calls took at its own pace: each then takes a second of the others.
test('a process that is slowed down does not slow down others', async () => {
  const { world, other, exchange } = await openTwo(['a', 'b'])
  await world.move(20_000)
  for (const team of ['a', 'b']) other.noteBusy('model-1', team, 60_000)
  exchange()
  await world.move(1000)
  for (let call = 0; call < 5; call += 1) {
    await other.admit(buildCall('a', { rpm: 100_000 }), patient(0))
    await world.move(1000)
  }
  // The window has refused a call here: it is short.
  expect(await world.lines.admit(buildCall('a', { rpm: 1 }), patient(0))).toMatchObject({ admitted: false })
  expect(await world.lines.admit(buildCall('a', { rpm: 100_000 }), patient(0))).toMatchObject({
    admitted: true,
  })
  await world.move(1)
  exchange()
  await world.move(5)
  expect(world.lines.admit(buildCall('b', { rpm: 100_000 }), patient())).not.toBeInstanceOf(Promise)
})

test('a single team is not slowed down by a busy upstream', async () => {
  const world = new World()
  await world.lines.admit(buildCall('a', { rpm: 100 }), patient())
  world.lines.noteBusy('model-1', 'a', 60_000)
  const decision = world.lines.admit(buildCall('a', { rpm: 100 }), patient())
  expect(decision).not.toBeInstanceOf(Promise)
})

test('a queue is bounded: further calls are refused at once', async () => {
  const world = new World()
  await world.lines.admit(buildCall('a', { rpm: 1 }), patient())
  const calls = Array.from({ length: 201 }, () => world.lines.admit(buildCall('a', { rpm: 1 }), patient()))
  await settled()
  expect(world.lines.countWaiting()).toBe(200)
  expect((await calls[200])?.admitted).toBe(false)
  await world.move(5000)
  expect(world.lines.countWaiting()).toBe(0)
})
