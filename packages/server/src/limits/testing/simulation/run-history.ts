// Plays a history against the limits and the oracle at once, and compares all that can be seen of both after every step.
import { nanoDollars } from '../../../ledger/money.ts'
import { createMemoryLimits, type MemoryLimits } from '../../memory/create-memory-limits.ts'
import type { AdmissionRequest, Decision, Hold, OwnerRef } from '../../port.ts'
import { createWindowJournal, type WindowJournal } from '../../windows/create-window-journal.ts'
import { replayRows } from '../../windows/replay-rows.ts'
import type { GatherScope } from '../../windows/window-contents.ts'
import { createStoredRows } from '../create-stored-rows.ts'
import { createOracle, type Oracle, type OracleDecision, ownerIdOf } from './oracle.ts'
import type { Arrival, Step } from './step.ts'
import { applyChange, createWorld, recordAt, teamOf, type World } from './world.ts'

export type HistoryResult = {
  /** Index of the step after which the two differed; null when they never did. */
  readonly failedAt: number | null
  readonly message: string
  readonly admitted: number
  /** Refusals by code and level. */
  readonly refused: ReadonlyMap<string, number>
  /** Waits that were announced and found to be true. */
  readonly waits: number
}

type Refused = { readonly request: AdmissionRequest; readonly decision: OracleDecision; readonly at: number }

type Run = {
  readonly world: World
  readonly time: { now: number }
  /** The latest moment of all: a duration is set after it, so that no period starts where another has. */
  highest: number
  readonly oracle: Oracle
  limits: MemoryLimits
  journal: WindowJournal
  readonly stored: ReturnType<typeof createStoredRows>
  running: Hold[]
  readonly ended: Hold[]
  /** The refusal that the step before this one brought. */
  refusal: Refused | null
  calls: number
  admitted: number
  waits: number
  readonly refused: Map<string, number>
}

export type CreateLimits = (dependencies: { readonly clock: () => number }) => MemoryLimits

/** A Tuesday near the end of a month and of a year. */
const firstMoment = Date.UTC(2026, 11, 29, 22, 58, 30)

export function runHistory(
  steps: readonly Step[],
  createLimits: CreateLimits = createMemoryLimits,
): HistoryResult {
  const time = { now: firstMoment }
  const run: Run = {
    world: createWorld(),
    time,
    highest: firstMoment,
    oracle: createOracle(),
    ...begin(time, createLimits, 0),
    stored: createStoredRows(),
    running: [],
    ended: [],
    refusal: null,
    calls: 0,
    admitted: 0,
    waits: 0,
    refused: new Map(),
  }
  const result = (failedAt: number | null, message: string): HistoryResult => {
    const { admitted, refused, waits } = run
    return { failedAt, message, admitted, refused, waits }
  }
  for (const [index, step] of steps.entries()) {
    try {
      play(run, step, createLimits)
      if (index % 16 === 0) compareAll(run)
    } catch (error) {
      return result(index, error instanceof Error ? error.message : String(error))
    }
  }
  try {
    finish(run)
  } catch (error) {
    return result(steps.length, error instanceof Error ? error.message : String(error))
  }
  return result(null, '')
}

function play(run: Run, step: Step, createLimits: CreateLimits): void {
  const { time, world, oracle, refusal } = run
  run.refusal = null
  switch (step.kind) {
    case 'clock':
      time.now += step.by
      run.highest = Math.max(run.highest, time.now)
      return
    case 'change':
      applyChange(world, step, run.highest + 1)
      return
    case 'arrive':
      arrive(run, buildRequest(run, step))
      return
    case 'retry':
      if (refusal !== null) retry(run, refusal, step.at)
      return
    case 'settle': {
      const [hold] = run.running.splice(step.pick % Math.max(1, run.running.length), 1)
      if (hold !== undefined) {
        const cost = Math.floor((hold.amount * step.percent) / 100) + step.extra
        // A charge is on disk only together with what the windows then hold.
        run.limits.exceed(hold, step.tokens)
        run.oracle.exceed(hold.callId, step.tokens, time.now)
        write(run, 'commit')
        endCall(run, hold, { cost, tokens: step.tokens })
      }
      return
    }
    case 'release': {
      const [hold] = run.running.splice(step.pick % Math.max(1, run.running.length), 1)
      if (hold !== undefined) endCall(run, hold, null)
      return
    }
    case 'repeat': {
      const hold = run.ended[step.pick % Math.max(1, run.ended.length)]
      if (hold === undefined) return
      if (step.isSettle) run.limits.settle(hold, { cost: nanoDollars(77), tokens: 777 })
      else run.limits.release(hold)
      compareOwners(run, hold)
      return
    }
    case 'look': {
      const key = recordAt(world.keys, step.key)
      const model = step.model === null ? null : recordAt(world.models, step.model)
      const parties = { team: teamOf(world, key), key, model }
      const seen = run.limits.rates(parties.team, key, model ?? undefined)
      compare('rates', seen, oracle.snapshot(parties, time.now))
      return
    }
    case 'write':
      write(run, step.scope)
      return
    case 'restart':
      if (step.isClean) write(run, 'second')
      restart(run, step.by, createLimits)
  }
}

/** To disk, and to the oracle's memory of it. */
function write(run: Run, scope: GatherScope): void {
  const written = run.journal(scope)
  run.stored.write(written)
  run.oracle.write(run.time.now, written !== null && written.change.row !== null)
}

/** Another process begins. Whatever the old one had not written is unknown to both bookkeepers. */
function restart(run: Run, by: number, createLimits: CreateLimits): void {
  const { time, stored, oracle } = run
  // The time of day is what the old process made of it.
  const end = Math.max(time.now, oracle.now())
  const rows = stored.rows()
  const lastRowAt = rows.at(-1)?.writtenAt ?? end
  // A clock that is set back counts from the last row: what was in older ones and has left the windows since may count once more.
  time.now = end + (lastRowAt === end ? by : Math.max(0, by))
  run.highest = Math.max(run.highest, time.now)
  const begun = begin(time, createLimits, rows.at(-1)?.sequence ?? 0)
  begun.limits.restoreWindows(replayRows(rows, time.now).windows)
  begun.limits.load(oracle.restart(time.now, lastRowAt))
  run.limits = begun.limits
  run.journal = begun.journal
  // The first row of a process holds all that it found.
  write(run, 'commit')
  run.ended.push(...run.running)
  run.running = []
  compareAll(run)
}

function begin(time: { readonly now: number }, createLimits: CreateLimits, lastSequence: number) {
  let latest = Number.NEGATIVE_INFINITY
  const clock = () => {
    latest = Math.max(latest, time.now)
    return time.now
  }
  const limits = createLimits({ clock })
  // The windows do not follow a clock that steps back: the time of day is taken to be theirs.
  const wallClock = () => latest
  const journal = createWindowJournal({ gather: limits.gatherWindows, clock, wallClock, lastSequence })
  return { limits, journal }
}

function buildRequest(run: Run, step: Arrival): AdmissionRequest {
  const { world } = run
  const key = recordAt(world.keys, step.key)
  const model = step.model === null ? null : recordAt(world.models, step.model)
  run.calls += 1
  const { choices, countsRequest, input, output, fixedCost, minimumOutput, isReducible } = step
  const common = { callId: `call ${run.calls}`, team: teamOf(world, key), key, model, countsRequest }
  if (model === null) return { ...common, tokens: { input: 0, output: 0 }, estimate: { kind: 'none' } }
  const tokens = { input: input * choices, output: output * choices }
  if (fixedCost !== null)
    return { ...common, tokens, estimate: { kind: 'fixed', cost: nanoDollars(fixedCost) } }
  return {
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
  }
}

function arrive(run: Run, request: AdmissionRequest): OracleDecision {
  const { limits, oracle, time } = run
  const decision = limits.admit(request)
  const expected = oracle.decide(request, time.now)
  compare('decision', describe(decision), expected)
  if (expected.admitted && decision.admitted) {
    oracle.record(request, expected.grant)
    run.running.push(decision.hold)
    run.admitted += 1
    checkBounds(run, request)
  } else if (!expected.admitted) {
    const { code, level } = expected.refusal
    run.refused.set(`${code} ${level}`, (run.refused.get(`${code} ${level}`) ?? 0) + 1)
    run.refusal = { request, decision: expected, at: oracle.now() }
  }
  compare('rates', decision.rates, oracle.snapshot(request, time.now))
  const { team, key, model } = request
  compareOwners(run, { teamId: team.teamId, keyHash: key.keyHash, modelId: model?.id ?? null })
  return expected
}

/** What the oracle tells of a decision, as the limits told it. */
function describe(decision: Decision): unknown {
  if (!decision.admitted) return { admitted: false, refusal: decision.refusal }
  const { amount, outputCap, reduced, periods, admittedAt } = decision.hold
  return { admitted: true, grant: { amount, outputCap, reduced, periods, admittedAt } }
}

/** What was said of waiting, taken at its word while nothing else happens. */
function retry(run: Run, { request, decision, at }: Refused, when: 'announced' | 'reset' | 'before'): void {
  if (decision.admitted) return
  const { code, resetAt, retryAfterSeconds } = decision.refusal
  const isWindow = code === 'rpm_exceeded' || code === 'tpm_exceeded'
  const moment =
    when === 'announced' && retryAfterSeconds !== null ? at + retryAfterSeconds * 1000 : (resetAt ?? at)
  run.time.now = Math.max(run.time.now, at, when === 'before' ? moment - 1 : moment)
  run.highest = Math.max(run.highest, run.time.now)
  run.calls += 1
  const again = arrive(run, { ...request, callId: `call ${run.calls}` })
  const codeNow = again.admitted ? null : again.refusal.code
  if (when === 'before' && isWindow) compare('refusal a millisecond before the reset', codeNow, code)
  if (when !== 'announced' || retryAfterSeconds === null) return
  const isRefusedByWindow = codeNow === 'rpm_exceeded' || codeNow === 'tpm_exceeded'
  if (isWindow) compare('refusal by a window after the announced wait', isRefusedByWindow, false)
  if (code === 'budget_exceeded' && !isRefusedByWindow)
    compare('refusal by the budget after its period', codeNow === code, false)
  if (isWindow || code === 'budget_exceeded') run.waits += 1
}

/** The promises themselves, whatever both bookkeepers say. */
function checkBounds(run: Run, request: AdmissionRequest): void {
  const { oracle } = run
  for (const { windowId, requests } of oracle.levelsOf(request)) {
    if (requests === null || !request.countsRequest) continue
    if (oracle.requestsAt(windowId) > requests) throw new Error(`${windowId}: more than ${requests} in 60 s`)
  }
  if (request.estimate.kind !== 'none') {
    for (const { level, maximum, spent, held } of oracle.budgetLevels(request))
      if (spent + held > maximum) throw new Error(`${level}: ${spent} + ${held} is above ${maximum}`)
  }
  const { keyHash, maxParallelRequests } = request.key
  if (run.running.filter(hold => hold.keyHash === keyHash).length > maxParallelRequests)
    throw new Error(`${keyHash}: more than ${maxParallelRequests} run`)
}

function endCall(run: Run, hold: Hold, actual: { cost: number; tokens: number } | null): void {
  if (actual === null) run.limits.release(hold)
  else run.limits.settle(hold, { cost: nanoDollars(actual.cost), tokens: actual.tokens })
  run.oracle.end(hold.callId, actual, run.time.now)
  run.ended.push(hold)
  compareOwners(run, hold)
}

function compareOwners(run: Run, owner: Pick<Hold, 'teamId' | 'keyHash' | 'modelId'>): void {
  const { limits, oracle } = run
  const { teamId, keyHash, modelId } = owner
  compare('totals', limits.totals(), oracle.totals())
  compare(`running of ${keyHash}`, limits.running(keyHash), oracle.runningOf(keyHash))
  const team = recordAt(
    run.world.teams,
    run.world.teams.findIndex(known => known.teamId === teamId),
  )
  const key = recordAt(
    run.world.keys,
    run.world.keys.findIndex(known => known.keyHash === keyHash),
  )
  const periods = oracle.periodsFor({ team, key, model: null })
  const compareMoney = (ref: OwnerRef, period: number) =>
    compare(`money of ${ownerIdOf(ref)}`, limits.spendOf(ref, period), oracle.moneyOf(ownerIdOf(ref), period))
  compareMoney({ kind: 'team', teamId }, periods.team.start)
  compareMoney({ kind: 'key', keyHash }, periods.key.start)
  if (modelId !== null) compareMoney({ kind: 'key_model', keyHash, modelId }, periods.key.start)
}

function compareAll(run: Run): void {
  for (const { teamId, keyHash } of run.world.keys)
    for (const { id } of run.world.models) compareOwners(run, { teamId, keyHash, modelId: id })
}

/** Every call ends, the windows run out, and nothing may be left. */
function finish(run: Run): void {
  for (const hold of run.running) {
    run.limits.release(hold)
    run.oracle.end(hold.callId, null, run.time.now)
  }
  compareAll(run)
  compare('totals at the end', run.limits.totals(), { heldNanoDollars: 0, holds: 0, slots: 0 })
  run.time.now = Math.max(run.time.now, run.oracle.now()) + 60_000
  for (const key of run.world.keys) {
    compare(`running of ${key.keyHash} at the end`, run.limits.running(key.keyHash), 0)
    for (const model of run.world.models) {
      const { requests, tokens } = run.limits.rates(teamOf(run.world, key), key, model)
      compare('requests left at the end', requests?.remaining, requests?.limit)
      compare('tokens left at the end', tokens?.remaining, tokens?.limit)
    }
  }
}

function compare(what: string, actual: unknown, expected: unknown): void {
  if (Bun.deepEquals(actual, expected)) return
  throw new Error(`${what}: ${JSON.stringify(actual)} where ${JSON.stringify(expected)} was expected`)
}
