// Plays steps against an engine of the limits and the oracle at once, and compares all that can be seen of both after every step.
import { nanoDollars } from '../../../ledger/money.ts'
import { buildLevels } from '../../build-levels.ts'
import type { Decision, Hold, OwnerRef, Refusal } from '../../port.ts'
import type { GatherScope } from '../../windows/window-contents.ts'
import { type BuiltRequest, buildRequest } from '../build-parties.ts'
import type { CreateEngine, LimitsEngine } from '../engine.ts'
import { buildLook, readLook, readSpendOf } from '../look-at.ts'
import { createOracle, ownerIdOf } from './oracle.ts'
import type { Arrival, Change, Moment, Step } from './step.ts'
import { applyChange, createWorld, recordAt, teamOf } from './world.ts'

/** What histories have met, over all of them. */
export type Tally = {
  steps: number
  admitted: number
  /** Waits that were announced and found to be true. */
  waits: number
  /** Refusals by code and level. */
  readonly refused: Map<string, number>
}

type Refused = { readonly request: BuiltRequest; readonly refusal: Refusal; readonly at: number }
type Owner = Pick<Hold, 'teamId' | 'keyHash' | 'modelId'>
type Settled = { readonly cost: number; readonly tokens: number }

/** A Tuesday near the end of a month and of a year. */
const firstMoment = Date.UTC(2026, 11, 29, 22, 58, 30)
const compareAllEvery = 16

export class SimulatedProcess {
  readonly #time: { now: number }
  readonly #engine: LimitsEngine
  readonly #tally: Tally
  readonly #world = createWorld()
  readonly #oracle = createOracle()
  /** The latest moment of all: a duration is set after it, so that no period starts where another has. */
  #highest = firstMoment
  #running: Hold[] = []
  readonly #ended: Hold[] = []
  #calls = 0
  #steps = 0

  private constructor(time: { now: number }, engine: LimitsEngine, tally: Tally) {
    this.#time = time
    this.#engine = engine
    this.#tally = tally
  }

  static async begin(createEngine: CreateEngine, changes: readonly Change[], tally: Tally) {
    const time = { now: firstMoment }
    const simulated = new SimulatedProcess(time, await createEngine(time), tally)
    for (const change of changes) await simulated.play(change)
    return simulated
  }

  /** False for a step that would do nothing: fast-check leaves these out of what it prints. */
  canPlay({ kind }: Step): boolean {
    if (kind === 'settle' || kind === 'release') return this.#running.length > 0
    return kind === 'repeat' ? this.#ended.length > 0 : true
  }

  async play(step: Step): Promise<void> {
    this.#tally.steps += 1
    this.#steps += 1
    await this.#do(step)
    if (this.#steps % compareAllEvery === 0) await this.#compareAll()
  }

  async #do(step: Step): Promise<void> {
    switch (step.kind) {
      case 'clock':
        return this.#moveClock(this.#time.now + step.by)
      case 'change':
        return applyChange(this.#world, step, this.#highest + 1)
      case 'arrive': {
        const refused = await this.#arrive(this.#buildRequest(step), step.enters)
        if (refused !== null && step.retries !== null) await this.#retry(refused, step.retries)
        return
      }
      case 'settle': {
        const hold = this.#takeRunning(step.pick)
        if (hold === null) return
        const cost = Math.floor((hold.amount * step.percent) / 100) + step.extra
        // A charge is on disk only together with what the windows then hold.
        await this.#engine.limits.exceed(hold, step.tokens)
        this.#oracle.exceed(hold.callId, step.tokens, this.#time.now)
        await this.#write('commit')
        return await this.#end(hold, { cost, tokens: step.tokens })
      }
      case 'release': {
        const hold = this.#takeRunning(step.pick)
        return hold === null ? undefined : await this.#end(hold, null)
      }
      case 'repeat': {
        const hold = this.#ended[step.pick % Math.max(1, this.#ended.length)]
        if (hold === undefined) return
        if (step.isSettle) await this.#engine.limits.settle(hold, { cost: nanoDollars(77), tokens: 777 })
        else await this.#engine.limits.release(hold)
        return await this.#compareOwners(hold)
      }
      case 'look':
        return await this.#look(step.key, step.model)
      case 'write':
        return await this.#write(step.scope)
      case 'restart':
        if (step.isClean) await this.#write('second')
        return await this.#restart(step.by)
    }
  }

  /** Every call ends, the windows run out, and nothing may be left. */
  async finish(): Promise<void> {
    for (const hold of this.#running.splice(0)) await this.#end(hold, null)
    await this.#compareAll()
    const totals = await this.#engine.limits.totals()
    compare('totals at the end', totals, { heldNanoDollars: 0, holds: 0, slots: 0 })
    this.#time.now = Math.max(this.#time.now, this.#oracle.now()) + 60_000
    for (const key of this.#world.keys) {
      for (const model of this.#world.models) {
        const look = buildLook(teamOf(this.#world, key), key, model)
        const { running, rates } = readLook(await this.#engine.limits.admit(look))
        compare(`running calls of ${key.keyHash} at the end`, running, 0)
        compare('requests left at the end', rates.requests?.remaining, rates.requests?.limit)
        compare('tokens left at the end', rates.tokens?.remaining, rates.tokens?.limit)
      }
    }
  }

  #moveClock(now: number): void {
    this.#time.now = now
    this.#highest = Math.max(this.#highest, now)
  }

  #takeRunning(pick: number): Hold | null {
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
    const common = { callId: this.#nextCallId(), team: teamOf(this.#world, key), key, model, countsRequest }
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

  /** Null when the call was admitted. */
  async #arrive(request: BuiltRequest, enters: boolean): Promise<Refused | null> {
    const { callId, team, key, model } = request
    const levels = buildLevels(team, key, null)
    const early = enters ? await this.#engine.limits.enter({ callId, levels }) : null
    const decision: Decision =
      early === null ? await this.#engine.limits.admit(request) : { admitted: false, ...early }
    const expected = this.#oracle.decide(request, this.#time.now)
    compare('decision', describe(decision), expected)
    if (expected.admitted && decision.admitted) {
      this.#oracle.record(request, expected.grant)
      this.#running.push(decision.hold)
      this.#tally.admitted += 1
      this.#checkBounds(request)
    }
    // Before the body is read it is not known which model the call wants.
    const seen = early === null ? request : { team, key, model: null }
    compare('rates', decision.rates, this.#oracle.snapshot(seen, this.#time.now))
    if (enters && early === null) await this.#engine.limits.leave(request.callId)
    await this.#compareOwners({ teamId: team.teamId, keyHash: key.keyHash, modelId: model?.id ?? null })
    if (expected.admitted) return null
    const { code, level } = expected.refusal
    const { refused } = this.#tally
    refused.set(`${code} ${level}`, (refused.get(`${code} ${level}`) ?? 0) + 1)
    return { request, refusal: expected.refusal, at: this.#oracle.now() }
  }

  /** What was said of waiting, taken at its word while nothing else happens. */
  async #retry({ request, refusal, at }: Refused, when: Moment): Promise<void> {
    const { code, resetAt, retryAfterSeconds } = refusal
    const isWindow = code === 'rpm_exceeded' || code === 'tpm_exceeded'
    const moment =
      when === 'announced' && retryAfterSeconds !== null ? at + retryAfterSeconds * 1000 : (resetAt ?? at)
    this.#moveClock(Math.max(this.#time.now, at, when === 'before' ? moment - 1 : moment))
    const again = await this.#arrive({ ...request, callId: this.#nextCallId() }, false)
    const codeNow = again?.refusal.code ?? null
    if (when === 'before' && isWindow) compare('refusal a millisecond before the reset', codeNow, code)
    if (when !== 'announced' || retryAfterSeconds === null) return
    const isRefusedByWindow = codeNow === 'rpm_exceeded' || codeNow === 'tpm_exceeded'
    if (isWindow) compare('refusal by a window after the announced wait', isRefusedByWindow, false)
    if (code === 'budget_exceeded' && !isRefusedByWindow)
      compare('refusal by the budget after its period', codeNow === code, false)
    if (isWindow || code === 'budget_exceeded') this.#tally.waits += 1
  }

  /** The promises themselves, whatever both bookkeepers say. */
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
    if (this.#running.filter(hold => hold.keyHash === keyHash).length > maxParallelRequests)
      throw new Error(`${keyHash}: more than ${maxParallelRequests} run`)
  }

  /** `actual` is null for a release. */
  async #end(hold: Hold, actual: Settled | null): Promise<void> {
    const { limits } = this.#engine
    if (actual === null) await limits.release(hold)
    else await limits.settle(hold, { cost: nanoDollars(actual.cost), tokens: actual.tokens })
    this.#oracle.end(hold.callId, actual, this.#time.now)
    this.#ended.push(hold)
    await this.#compareOwners(hold)
  }

  /** To disk, and to the oracle's memory of it. */
  async #write(scope: GatherScope): Promise<void> {
    this.#oracle.write(this.#time.now, await this.#engine.write(scope))
  }

  /** Another process begins. Whatever the old one had not written is unknown to both bookkeepers. */
  async #restart(by: number): Promise<void> {
    // The time of day is what the old process made of it.
    const end = Math.max(this.#time.now, this.#oracle.now())
    const lastRowAt = this.#engine.lastWrittenAt() ?? end
    // A clock that is set back counts from the last row: what was in older ones and has left the windows since may count once more.
    this.#moveClock(end + (lastRowAt === end ? by : Math.max(0, by)))
    await this.#engine.restart(this.#oracle.restart(this.#time.now, lastRowAt))
    // The first row of a process holds all that it found.
    await this.#write('commit')
    this.#ended.push(...this.#running.splice(0))
    await this.#compareAll()
  }

  async #look(keyIndex: number, modelIndex: number | null): Promise<void> {
    const key = recordAt(this.#world.keys, keyIndex)
    const model = modelIndex === null ? null : recordAt(this.#world.models, modelIndex)
    const team = teamOf(this.#world, key)
    const look = readLook(await this.#engine.limits.admit(buildLook(team, key, model)))
    compare('rates', look.rates, this.#oracle.snapshot({ team, key, model }, this.#time.now))
    compare(`running calls of ${key.keyHash}`, look.running, this.#oracle.runningOf(key.keyHash))
  }

  async #compareOwners({ teamId, keyHash, modelId }: Owner): Promise<void> {
    const { limits } = this.#engine
    compare('totals', await limits.totals(), this.#oracle.totals())
    const key = this.#world.keys.find(known => known.keyHash === keyHash)
    const team = this.#world.teams.find(known => known.teamId === teamId)
    if (key === undefined || team === undefined) throw new Error('Owners of the simulated world stay.')
    const periods = this.#oracle.periodsFor({ team, key, model: null })
    const compareMoney = async (ref: OwnerRef, period: number) => {
      const expected = this.#oracle.moneyOf(ownerIdOf(ref), period)
      compare(`money of ${ownerIdOf(ref)}`, await readSpendOf(limits, ref, period), expected)
    }
    await compareMoney({ kind: 'team', teamId }, periods.team.start)
    await compareMoney({ kind: 'key', teamId, keyHash }, periods.key.start)
    if (modelId !== null)
      await compareMoney({ kind: 'key_model', teamId, keyHash, modelId }, periods.key.start)
  }

  async #compareAll(): Promise<void> {
    for (const [index, { teamId, keyHash }] of this.#world.keys.entries()) {
      for (const { id } of this.#world.models) await this.#compareOwners({ teamId, keyHash, modelId: id })
      await this.#look(index, null)
    }
  }
}

/** What the oracle tells of a decision, as the limits told it. */
function describe(decision: Decision): unknown {
  if (!decision.admitted) return { admitted: false, refusal: decision.refusal }
  const { amount, outputCap, reduced, periods, admittedAt } = decision.hold
  return { admitted: true, grant: { amount, outputCap, reduced, periods, admittedAt } }
}

function compare(what: string, actual: unknown, expected: unknown): void {
  if (Bun.deepEquals(actual, expected)) return
  throw new Error(`${what}: ${JSON.stringify(actual)} where ${JSON.stringify(expected)} was expected`)
}
