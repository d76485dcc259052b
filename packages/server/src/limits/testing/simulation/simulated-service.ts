// Plays steps against a limits engine and the oracle at once, and compares everything visible of both after every step.
import type { Key } from '../../../directory/types.ts'
import { type EventLimits, limitsOfEvent } from '../../../ledger/event-limits.ts'
import { nanoDollars } from '../../../ledger/money.ts'
import { failureOf } from '../../../store/testing/failure-of.ts'
import { buildLevels } from '../../build-levels.ts'
import { LevelsOver } from '../../levels.ts'
import type { Decision, Hold, OwnerPeriod, Refusal } from '../../port.ts'
import type { GatherScope } from '../../windows/window-contents.ts'
import { type BuiltRequest, buildRequest } from '../build-parties.ts'
import type { CreateEngine, EngineProcess, LimitsEngine } from '../engine.ts'
import { buildLook, readLook } from '../look-at.ts'
import { createOracle, type OracleDecision, ownerIdOf } from './oracle.ts'
import type { Arrival, Change, Moment, Step } from './step.ts'
import { applyChange, createWorld, recordAt, teamOf } from './world.ts'

/** Counts of what all histories have covered. */
export type Tally = {
  steps: number
  admitted: number
  /** Announced waits that turned out to be true. */
  waits: number
  /** Calls that were refused because their phase is over. */
  over: number
  /** Refusals by code and level. */
  readonly refused: Map<string, number>
}

type Refused = {
  readonly request: BuiltRequest
  readonly process: number
  readonly refusal: Refusal
  readonly at: number
}
type Owner = Pick<Hold, 'teamId' | 'keyHash' | 'modelId'>
type Settled = { readonly cost: number; readonly tokens: number; readonly isSentTwice: boolean }
type Running = { readonly hold: Hold; readonly process: number }

/** A Tuesday near the end of a month and of a year. */
const firstMoment = Date.UTC(2026, 11, 29, 22, 58, 30)
const compareAllEvery = 16

export class SimulatedService {
  readonly #time: { now: number }
  readonly #engine: LimitsEngine
  readonly #tally: Tally
  readonly #world = createWorld()
  readonly #oracle = createOracle()
  /** The latest moment of all: a duration is set after it, so that no period starts at the start of another. */
  #highest = firstMoment
  #running: Running[] = []
  /** Running calls that others have ended while their process was asleep. */
  readonly #orphans = new Set<string>()
  readonly #ended: Running[] = []
  #charged: (Running & { readonly cost: number })[] = []
  #calls = 0
  #steps = 0
  /** The event as it was after the last step. */
  #earlier: EventLimits | null = null

  private constructor(time: { now: number }, engine: LimitsEngine, tally: Tally) {
    this.#time = time
    this.#engine = engine
    this.#tally = tally
  }

  static async begin(createEngine: CreateEngine, changes: readonly Change[], tally: Tally) {
    const time = { now: firstMoment }
    const simulated = new SimulatedService(time, await createEngine(time), tally)
    for (const change of changes) await simulated.play(change)
    return simulated
  }

  /** False for a step that would do nothing: fast-check leaves these out of what it prints. */
  canPlay({ kind }: Step): boolean {
    if (kind === 'settle' || kind === 'release') return this.#running.length > 0
    if (kind === 'stall') return this.#engine.processes.length > 1
    if (kind === 'crash') return this.#engine.shared?.crash !== undefined
    if (kind === 'refund') return this.#charged.length > 0
    if (kind === 'end') return (this.#event()?.until ?? null) !== null
    return kind === 'repeat' ? this.#ended.length > 0 : true
  }

  async play(step: Step): Promise<void> {
    this.#tally.steps += 1
    this.#steps += 1
    await this.#do(step)
    if (step.kind !== 'clock' && step.kind !== 'end') this.#earlier = this.#event()
    if (this.#steps % compareAllEvery === 0) await this.#compareAll()
  }

  async #do(step: Step): Promise<void> {
    switch (step.kind) {
      case 'clock':
        return this.#moveClock(this.#time.now + step.by)
      case 'end': {
        const until = this.#event()?.until ?? null
        return until === null ? undefined : this.#moveClock(until + step.by)
      }
      case 'change':
        return applyChange(this.#world, step, this.#highest + 1)
      case 'arrive': {
        const request = await this.#refresh(this.#buildRequest(step), step.process)
        const refused = await this.#arrive(request, step.process, step.enters)
        if (refused !== null && step.retries !== null) await this.#retry(refused, step.retries)
        return
      }
      case 'settle': {
        const call = this.#takeRunning(step.pick)
        if (call === null) return
        const { hold, process } = call
        const { tokens, isSentTwice } = step
        const cost = Math.floor((hold.amount * step.percent) / 100) + step.extra
        // A charge is on disk only together with what the windows then hold.
        await this.#process(process).limits.exceed(hold, tokens)
        this.#oracle.exceed(hold.callId, tokens, this.#time.now)
        await this.#write('commit')
        return await this.#end(call, { cost, tokens, isSentTwice })
      }
      case 'release': {
        const call = this.#takeRunning(step.pick)
        return call === null ? undefined : await this.#end(call, null)
      }
      case 'adjust':
        return await this.#adjust(recordAt(this.#world.keys, step.key), step.model, step.amount)
      case 'grant': {
        const { teams, keys } = this.#world
        const team = recordAt(teams, step.team)
        const key = keys.find(({ teamId }) => teamId === team.teamId)
        if (key === undefined) throw new Error('Every team of the simulated world has keys.')
        const { start } = this.#oracle.periodsFor({ team, key, model: null, event: this.#event() }).team
        teams[step.team] = { ...team, granted: { amount: nanoDollars(step.amount), periodStart: start } }
        return
      }
      case 'refund': {
        const [call] = this.#charged.splice(step.pick % Math.max(1, this.#charged.length), 1)
        if (call === undefined) return
        await this.#process(call.process).refund(call.hold, nanoDollars(call.cost))
        this.#oracle.refund(call.hold.callId)
        return await this.#compareOwners(call.hold)
      }
      case 'repeat': {
        const call = this.#ended[step.pick % Math.max(1, this.#ended.length)]
        if (call === undefined) return
        const { limits } = this.#process(call.process)
        if (step.isSettle) await limits.settle(call.hold, { cost: nanoDollars(77), tokens: 777 })
        else await limits.release(call.hold)
        return await this.#compareOwners(call.hold)
      }
      case 'look':
        return await this.#look(step.key, step.model)
      case 'write':
        return await this.#write(step.scope)
      case 'restart':
        if (step.isClean) await this.#write('second')
        return await this.#restart(step.process, step.by)
      case 'stall':
        return await this.#stall(step.process)
      case 'crash':
        await this.#engine.shared?.crash?.()
        return await this.#compareAll()
    }
  }

  /** Ends every call, lets the windows run out, and checks that nothing is left. */
  async finish(): Promise<void> {
    for (let call = this.#takeRunning(0); call !== null; call = this.#takeRunning(0))
      await this.#end(call, null)
    await this.#compareAll()
    for (const { limits } of this.#engine.processes)
      compare('totals at the end', await limits.totals(), { heldNanoDollars: 0, holds: 0, slots: 0 })
    this.#time.now = Math.max(this.#time.now, this.#oracle.now()) + 60_000
    for (const key of this.#world.keys) {
      for (const model of this.#world.models) {
        const look = buildLook(teamOf(this.#world, key), key, model)
        const { running, rates } = readLook(await this.#process(0).limits.admit(look))
        compare(`running calls of ${key.keyHash} at the end`, running, 0)
        compare('requests left at the end', rates.requests?.remaining, rates.requests?.limit)
        compare('tokens left at the end', rates.tokens?.remaining, rates.tokens?.limit)
      }
    }
  }

  /** Picks name processes as if there were six. */
  #process(pick: number): EngineProcess {
    const { processes } = this.#engine
    return processes[pick % processes.length] ?? processes[0]
  }

  /** A shared state has one clock for all: it stands still when the clock of one process would step back. */
  #moveClock(now: number): void {
    this.#time.now = this.#engine.shared === null ? now : Math.max(this.#time.now, now)
    this.#highest = Math.max(this.#highest, this.#time.now)
  }

  #takeRunning(pick: number): Running | null {
    return this.#running.splice(pick % Math.max(1, this.#running.length), 1)[0] ?? null
  }

  #nextCallId(): string {
    this.#calls += 1
    return `call ${this.#calls}`
  }

  #buildRequest(step: Arrival): BuiltRequest {
    const key = recordAt(this.#world.keys, step.key)
    const model = step.model === null ? null : recordAt(this.#world.models, step.model)
    const { choices, countsRequest, input, output, fixedCost, minimumOutput, isReducible } = step
    const event = step.isStale ? this.#earlier : this.#event()
    const common = {
      callId: this.#nextCallId(),
      team: teamOf(this.#world, key),
      key,
      model,
      countsRequest,
      event,
    }
    if (model === null)
      return buildRequest({ ...common, tokens: { input: 0, output: 0 }, estimate: { kind: 'none' } })
    const tokens = { input: input * choices, output: output * choices }
    if (fixedCost !== null)
      return buildRequest({ ...common, tokens, estimate: { kind: 'fixed', cost: nanoDollars(fixedCost) } })
    return buildRequest({
      ...common,
      tokens,
      estimate: {
        kind: 'tokens',
        count: choices,
        inputTokens: input,
        price: model.price,
        askedOutput: output,
        minimumOutput,
        reducible: isReducible,
      },
    })
  }

  /** The event's limits at the moment that both bookkeepers take for now. */
  #event(): EventLimits | null {
    return limitsOfEvent(this.#world.event, Math.max(this.#time.now, this.#oracle.now()))
  }

  /** A call of a phase that is over is refused for that, takes nothing, and retries with the limits that apply now. */
  async #refresh(request: BuiltRequest, process: number): Promise<BuiltRequest> {
    const now = Math.max(this.#time.now, this.#oracle.now())
    const until = request.event?.until ?? null
    if (request.model === null || until === null || now < until) return request
    this.#tally.over += 1
    const failure = await failureOf((async () => this.#process(process).limits.admit(request))())
    compare('a phase that is over', failure instanceof LevelsOver, true)
    const { team, key, model } = request
    const event = this.#event()
    return { ...request, event, levels: buildLevels(team, key, model, event) }
  }

  async #adjust(key: Key, modelIndex: number, asked: number): Promise<void> {
    const { teamId, keyHash } = key
    const model = recordAt(this.#world.models, modelIndex)
    const parties = { team: teamOf(this.#world, key), key, model, event: this.#event() }
    const periods = this.#oracle.periodsFor(parties)
    const owners = [
      [{ kind: 'team', teamId }, periods.team.start],
      [{ kind: 'key', teamId, keyHash }, periods.key.start],
      [{ kind: 'key_model', teamId, keyHash, modelId: model.id }, periods.key.start],
      [{ kind: 'event' }, 0],
    ] as const
    const spent = owners.map(([owner, period]) => this.#oracle.moneyOf(ownerIdOf(owner), period).spent)
    const amount = Math.max(asked, -Math.min(...spent))
    const starts = { team: periods.team.start, key: periods.key.start }
    await this.#process(this.#steps).adjust({ teamId, keyHash, modelId: model.id, periods: starts, amount })
    this.#oracle.adjust(this.#nextCallId(), owners, amount)
    await this.#compareOwners({ teamId, keyHash, modelId: model.id })
  }

  /** Null when the call was admitted. */
  async #arrive(request: BuiltRequest, process: number, enters: boolean): Promise<Refused | null> {
    const { callId, team, key, model, event } = request
    const { limits } = this.#process(process)
    const levels = buildLevels(team, key, null, event)
    const early = enters ? await limits.enter({ callId, levels }) : null
    const decision: Decision = early === null ? await limits.admit(request) : { admitted: false, ...early }
    const expected = this.#oracle.decide(request, this.#time.now)
    if (early !== null && this.#engine.shared !== null) {
      compare('refusal at the door', early.refusal.code, this.#codeAtDoor(key, process, expected))
      return null
    }
    compare('decision', describe(decision), expected)
    if (expected.admitted && decision.admitted) {
      this.#oracle.record(request, expected.grant)
      this.#running.push({ hold: decision.hold, process })
      this.#tally.admitted += 1
      this.#checkBounds(request)
    }
    // Before the body is read, the requested model is not known.
    const seen = early === null ? request : { team, key, model: null }
    compare('rates', decision.rates, this.#oracle.snapshot(seen, this.#time.now))
    if (enters && early === null) await limits.leave(callId)
    await this.#compareOwners({ teamId: team.teamId, keyHash: key.keyHash, modelId: model?.id ?? null })
    if (expected.admitted) return null
    const { code, level } = expected.refusal
    const { refused } = this.#tally
    refused.set(`${code} ${level}`, (refused.get(`${code} ${level}`) ?? 0) + 1)
    return { request, process, refusal: expected.refusal, at: this.#oracle.now() }
  }

  /**
   * A process refuses at the door by its own calls alone, which may be fewer than those of all processes. It also counts those that others
   * have ended: then its slots are taken, regardless of what would otherwise have refused the call or let it in.
   */
  #codeAtDoor(key: Key, process: number, expected: OracleDecision): Refusal['code'] | null {
    const own = this.#runningAt(process).filter(({ hold }) => hold.keyHash === key.keyHash)
    const isMisled = own.length >= key.maxParallelRequests && !idsOf(own).isDisjointFrom(this.#orphans)
    if (isMisled) return 'parallel_exceeded'
    return expected.admitted ? null : expected.refusal.code
  }

  /** Takes the announced wait at its word while nothing else happens. */
  async #retry({ request, process, refusal, at }: Refused, when: Moment): Promise<void> {
    const { code, resetAt, retryAfterSeconds } = refusal
    const isWindow = code === 'rpm_exceeded' || code === 'tpm_exceeded'
    const moment =
      when === 'announced' && retryAfterSeconds !== null ? at + retryAfterSeconds * 1000 : (resetAt ?? at)
    this.#moveClock(Math.max(this.#time.now, at, when === 'before' ? moment - 1 : moment))
    const { team, key, model } = request
    const event = this.#event()
    const levels = buildLevels(team, key, model, event)
    const again = await this.#arrive(
      { ...request, callId: this.#nextCallId(), event, levels },
      process,
      false,
    )
    const codeNow = again?.refusal.code ?? null
    if (when === 'before' && isWindow) compare('refusal a millisecond before the reset', codeNow, code)
    if (when !== 'announced' || retryAfterSeconds === null) return
    const isRefusedByWindow = codeNow === 'rpm_exceeded' || codeNow === 'tpm_exceeded'
    if (isWindow) compare('refusal by a window after the announced wait', isRefusedByWindow, false)
    if (code === 'budget_exceeded' && !isRefusedByWindow)
      compare('refusal by the budget after its period', codeNow === code, false)
    if (isWindow || code === 'budget_exceeded') this.#tally.waits += 1
  }

  /** Checks the promises themselves, independently of both bookkeepers. */
  #checkBounds(request: BuiltRequest): void {
    for (const { windowId, requests } of this.#oracle.levelsOf(request)) {
      if (requests === null || !request.countsRequest) continue
      if (this.#oracle.requestsAt(windowId) > requests)
        throw new Error(`${windowId}: more than ${requests} in 60 s`)
    }
    if (request.estimate.kind !== 'none') {
      for (const { level, maximum, spent, held } of this.#oracle.budgetLevels(request))
        if (spent + held > maximum) throw new Error(`${level}: ${spent} + ${held} is above ${maximum}`)
    }
    const { keyHash, maxParallelRequests } = request.key
    const counts = ({ hold }: Running) => hold.keyHash === keyHash && !this.#orphans.has(hold.callId)
    if (this.#running.filter(counts).length > maxParallelRequests)
      throw new Error(`${keyHash}: more than ${maxParallelRequests} run`)
  }

  /** `settled` is null for a release. */
  async #end(call: Running, settled: Settled | null): Promise<void> {
    const { hold, process } = call
    const { limits, charge } = this.#process(process)
    if (settled === null) await limits.release(hold)
    else {
      const actual = { cost: nanoDollars(settled.cost), tokens: settled.tokens }
      const { shared, processes } = this.#engine
      if (shared === null || !settled.isSentTwice) await charge(hold, actual)
      else await shared.chargeTwice(process % processes.length, hold, actual)
      this.#charged.push({ ...call, cost: settled.cost })
    }
    this.#oracle.end(hold.callId, settled, this.#time.now)
    this.#orphans.delete(hold.callId)
    this.#ended.push(call)
    await this.#compareOwners(hold)
  }

  /** Writes to disk, and to the oracle's copy of it. */
  async #write(scope: GatherScope): Promise<void> {
    this.#oracle.write(this.#time.now, await this.#engine.write(scope))
  }

  async #restart(pick: number, by: number): Promise<void> {
    await (this.#engine.shared === null ? this.#replaceAll(by) : this.#replaceOne(pick))
    await this.#compareAll()
  }

  /** The only process dies and another begins. Both bookkeepers lose what the old one had not written. */
  async #replaceAll(by: number): Promise<void> {
    // The time of day as the old process saw it.
    const end = Math.max(this.#time.now, this.#oracle.now())
    const lastRowAt = this.#engine.lastWrittenAt() ?? end
    // A clock that is set back counts from the last row: entries of older rows that have since left the windows may count once more.
    this.#moveClock(end + (lastRowAt === end ? by : Math.max(0, by)))
    await this.#engine.restart(0, this.#oracle.restart(this.#time.now, lastRowAt))
    // The first row of a process contains everything that it found.
    await this.#write('commit')
    this.#ended.push(...this.#running.splice(0))
  }

  /** One of multiple processes dies. The calls of the others continue, and no shared state is lost. */
  async #replaceOne(pick: number): Promise<void> {
    const dead = this.#runningAt(pick)
    await this.#engine.restart(pick % this.#engine.processes.length, this.#oracle.abandon(idsOf(dead)))
    this.#running = this.#running.filter(call => !dead.includes(call))
    for (const { hold } of dead) this.#orphans.delete(hold.callId)
    this.#ended.push(...dead)
  }

  async #stall(pick: number): Promise<void> {
    const swept = idsOf(this.#runningAt(pick))
    this.#oracle.abandon(swept)
    await this.#engine.shared?.stall(pick % this.#engine.processes.length)
    for (const callId of swept) this.#orphans.add(callId)
    await this.#compareAll()
  }

  #runningAt(pick: number): Running[] {
    const { length } = this.#engine.processes
    return this.#running.filter(({ process }) => process % length === pick % length)
  }

  async #look(keyIndex: number, modelIndex: number | null): Promise<void> {
    const key = recordAt(this.#world.keys, keyIndex)
    const model = modelIndex === null ? null : recordAt(this.#world.models, modelIndex)
    const team = teamOf(this.#world, key)
    const look = readLook(await this.#process(this.#steps).limits.admit(buildLook(team, key, model)))
    compare('rates', look.rates, this.#oracle.snapshot({ team, key, model }, this.#time.now))
    compare(`running calls of ${key.keyHash}`, look.running, this.#oracle.runningOf(key.keyHash))
  }

  async #compareOwners(owner: Owner): Promise<void> {
    await this.#compareTotals()
    await this.#compareMoney(owner)
  }

  async #compareMoney({ teamId, keyHash, modelId }: Owner): Promise<void> {
    const { limits } = this.#process(this.#steps)
    const key = this.#world.keys.find(known => known.keyHash === keyHash)
    const team = this.#world.teams.find(known => known.teamId === teamId)
    if (key === undefined || team === undefined) throw new Error('Owners of the simulated world stay.')
    const periods = this.#oracle.periodsFor({ team, key, model: null, event: this.#event() })
    const asked: OwnerPeriod[] = [
      { owner: { kind: 'event' }, periodStart: 0 },
      { owner: { kind: 'team', teamId }, periodStart: periods.team.start },
      { owner: { kind: 'key', teamId, keyHash }, periodStart: periods.key.start },
    ]
    if (modelId !== null)
      asked.push({ owner: { kind: 'key_model', teamId, keyHash, modelId }, periodStart: periods.key.start })
    const spends = await limits.readSpend(asked)
    for (const [index, { owner, periodStart }] of asked.entries())
      compare(
        `money of ${ownerIdOf(owner)}`,
        spends[index],
        this.#oracle.moneyOf(ownerIdOf(owner), periodStart),
      )
  }

  /** A process may count calls that others have ended as it likes, until they end there. */
  async #compareTotals(): Promise<void> {
    for (const [index, { limits }] of this.#engine.processes.entries()) {
      const callIds = idsOf(this.#runningAt(index))
      if (callIds.isDisjointFrom(this.#orphans))
        compare('totals', await limits.totals(), this.#oracle.totalsOf(callIds))
    }
  }

  async #compareAll(): Promise<void> {
    await this.#compareTotals()
    for (const [index, { teamId, keyHash }] of this.#world.keys.entries()) {
      for (const { id } of this.#world.models) await this.#compareMoney({ teamId, keyHash, modelId: id })
      await this.#look(index, null)
    }
  }
}

function idsOf(calls: readonly Running[]): Set<string> {
  return new Set(calls.map(({ hold }) => hold.callId))
}

/** The oracle's decision in the form of the limits' own. */
function describe(decision: Decision): unknown {
  if (!decision.admitted) return { admitted: false, refusal: decision.refusal }
  const { amount, outputCap, reduced, periods, admittedAt } = decision.hold
  return { admitted: true, grant: { amount, outputCap, reduced, periods, admittedAt } }
}

function compare(what: string, actual: unknown, expected: unknown): void {
  if (Bun.deepEquals(actual, expected)) return
  throw new Error(`${what}: ${JSON.stringify(actual)} where ${JSON.stringify(expected)} was expected`)
}
