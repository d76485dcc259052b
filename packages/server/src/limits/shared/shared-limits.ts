// Limits for any number of processes on one PostgreSQL: `admit_2` decides there, for all of them at once; what a refusal says is decided here.
//
//   admit ──→ AdmissionLane ──→ admit_2 (one batch at a time, not waiting for the disk)
//   charge on disk (`settle_2`: money and slot are free) ──→ settle: unused tokens ride with the next batch
//   release ──→ AdmissionLane: slot, money and tokens, in one step

import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import { type BudgetGrant, type BudgetLevel, decideBudget } from '../../ledger/decide-budget.ts'
import { decideRates, snapshotRates } from '../../ledger/decide-rates.ts'
import { type NanoDollars, nanoDollars } from '../../ledger/money.ts'
import { clipReservation } from '../../ledger/token-window.ts'
import { areOver, LevelsOver, maximumIn, refuseSlot, resetWithin } from '../levels.ts'
import type {
  AdmissionRequest,
  Decision,
  EarlyRefusal,
  Hold,
  Levels,
  Limits,
  LimitTotals,
  OwnerPeriod,
  RateSnapshot,
  Refusal,
} from '../port.ts'
import {
  type CallAnswer,
  countLevels,
  type Demand,
  type Ending,
  isOfEvent,
  type PeriodStarts,
  type SeenBudget,
  type TokenChange,
} from './admission-batch.ts'
import { AdmissionLane, type LaneDependencies, type RunQuery } from './admission-lane.ts'
import { BudgetPeriods, type Periods, periodOfLevel } from './budget-periods.ts'
import { FullWindows } from './full-windows.ts'
import { findLevelNames, type NamedLevel } from './level-names.ts'
import { ProcessSlots } from './process-slots.ts'
import { RememberedSpend } from './read-spend.ts'
import { readWindows, tidyStates } from './read-windows.ts'

export type SharedLimitsDependencies = Omit<LaneDependencies, 'listRunning' | 'noteCounted' | 'noteTime'> & {
  /** Unix ms, by the clock of this machine. */
  readonly clock: () => number
  /** Runs queries that no call waits for. */
  readonly read: RunQuery
  /** False: asks the database for every refusal, so that all its figures are current. */
  readonly remembersRefusals?: boolean
}

type Reservation = { readonly level: NamedLevel; readonly tokens: number; excess: number }

/**
 * A call of this process. `second`: the second in which its tokens are counted. `isReported`: it was announced again to a database that may
 * have lost it in a crash.
 */
type LiveCall = {
  readonly hold: Hold
  readonly demand: Demand
  readonly reservations: readonly Reservation[]
  second: number
  isReported: boolean
}

/** Max admission attempts of a call with another amount or other periods: concurrent calls may change both in between. */
const maxAttempts = 6
/** Calls admitted in the last 0.6 s (three times `wal_writer_delay`) may be lost when the database crashes; this leaves a margin. */
const forgettableMs = 2000

const tidyMs = 60_000

const noRates: RateSnapshot = { requests: null, tokens: null }

/** Methods are bound, so each member can be passed on alone. */
export class SharedLimits implements Limits {
  readonly #dependencies: SharedLimitsDependencies
  readonly #lane: AdmissionLane
  readonly #full = new FullWindows()
  readonly #live = new Map<string, LiveCall>()
  readonly #slots = new ProcessSlots()
  /** Calls that were admitted and released a moment ago. */
  #released: { readonly demand: Demand; readonly admittedAt: number }[] = []
  /** Time of the last answer of the database, by its own clock. */
  #answeredAt = Number.NEGATIVE_INFINITY
  readonly #periods = new BudgetPeriods()
  readonly #seen = new WeakMap<Levels, { readonly rates: RateSnapshot; readonly at: number }>()
  readonly #spend: RememberedSpend
  readonly #stopTidying: () => void
  readonly readSpend: Limits['readSpend']
  readonly readModelSpend: Limits['readModelSpend']
  /** Offset of the database clock from ours. */
  #ahead = 0
  #heldNanoDollars = 0
  #holds = 0

  constructor(dependencies: SharedLimitsDependencies) {
    this.#dependencies = dependencies
    this.#spend = new RememberedSpend(dependencies.read)
    this.readSpend = this.#spend.readSpend
    this.readModelSpend = this.#spend.readModelSpend
    this.#lane = new AdmissionLane({
      ...dependencies,
      listRunning: () => this.#listRunning(),
      noteCounted: (callId, now) => {
        const call = this.#live.get(callId)
        if (call !== undefined) call.second = Math.floor(now / 1000)
      },
      noteTime: now => {
        this.#ahead = now - dependencies.clock()
        this.#answeredAt = now
      },
    })
    this.#stopTidying = dependencies.every(tidyMs, () => {
      this.#full.tidy(this.#now())
      tidyStates(dependencies.read).catch(dependencies.reportFailure)
    })
  }

  /** Registers this process with the database. Until the database has answered, calls are refused with 503. */
  begin(): Promise<void> {
    return this.#lane.begin()
  }

  /** Call after the last call has ended. */
  close(): Promise<void> {
    this.#stopTidying()
    return this.#lane.close()
  }

  readonly enter: Limits['enter'] = ({ callId, levels }) => {
    this.#refuseSecond(callId)
    if (this.#slots.hasEntered(callId)) throw new Error(`The call ${callId} is already running.`)
    const { keyHash, slots } = levels
    const running = this.#slots.countRunning(keyHash)
    if (running >= slots) return this.#refuseEntry(levels, running)
    this.#slots.enter(callId, keyHash)
    return null
  }

  readonly leave = (callId: string): void => this.#slots.leave(callId)

  readonly foresee: Limits['foresee'] = ({ levels, leastCost }) => {
    const now = this.#now()
    if (areOver(levels, now)) return null
    const rates = this.#lastRates(levels, now)
    const full = this.#full.refuse(levels, now, rates)
    if (full !== null) return full
    const refusal = this.#full.refuseCost(levels, leastCost, now)
    return refusal === null ? null : { refusal, rates }
  }

  readonly admit = (request: AdmissionRequest): Decision | Promise<Decision> => {
    const { callId, levels, countsRequest } = request
    this.#refuseSecond(callId)
    if (areOver(levels, this.#now())) return Promise.reject(new LevelsOver(this.#now()))
    if (countsRequest && this.#dependencies.remembersRefusals !== false) {
      const now = this.#now()
      // If all slots are taken, the refusal names the slot.
      const hasSlot =
        this.#slots.hasEntered(callId) || this.#slots.countRunning(levels.keyHash) < levels.slots
      const full = hasSlot ? this.#full.refuse(levels, now, this.#lastRates(levels, now)) : null
      if (full !== null) return { admitted: false, ...full }
    }
    // From here on the database counts the call, after those that come before it in its batch.
    this.#slots.beginAsking(callId)
    const decided = this.#decide(request).finally(() => this.#slots.endAsking(callId))
    return levels.modelId === null ? decided.catch(() => this.#decideAlone(request)) : decided
  }

  readonly preview: Limits['preview'] = async ({ levels, estimate }) => {
    const { teamId, keyHash, modelId } = levels
    const periods = this.#periods.find(levels, null, this.#now())
    const now = this.#now()
    const owners = levels.budgets.map(({ level }): OwnerPeriod => {
      const { start: periodStart } = periodOfLevel(periods, level)
      if (level === 'event') return { owner: { kind: 'event' }, periodStart }
      if (level === 'team') return { owner: { kind: 'team', teamId }, periodStart }
      const key = { teamId, keyHash }
      return level === 'key_model' && modelId !== null
        ? { owner: { kind: 'key_model', ...key, modelId }, periodStart }
        : { owner: { kind: 'key', ...key }, periodStart }
    })
    const budgets = listBudgets(levels, periods, owners.length === 0 ? [] : await this.readSpend(owners))
    const rates = this.#lastRates(levels, now)
    const full = this.#full.refuse(levels, now, rates)
    if (full !== null) return { budgets, grant: null, ...full }
    const budget = decideBudget(budgets, estimate, now)
    return budget.admitted
      ? { budgets, rates, refusal: null, grant: budget.grant }
      : { budgets, rates, refusal: budget.refusal, grant: null }
  }

  readonly settle: Limits['settle'] = (hold, { tokens }) => {
    const call = this.#end(hold)
    if (call === null) return
    this.#lane.change(returnTokens(call, tokens))
    // The two do not wait for each other: if the charge was being written while the call was announced, its row is still there.
    if (call.isReported) void this.#lane.end(endingOf(call), [])
  }

  readonly release: Limits['release'] = hold => {
    const call = this.#end(hold)
    if (call === null) return
    this.#noteReleased(call)
    return this.#lane.end(endingOf(call), returnTokens(call, 0))
  }

  readonly exceed: Limits['exceed'] = (hold, tokens) => {
    const call = this.#live.get(hold.callId)
    if (call === undefined || call.hold !== hold) return
    const changes: TokenChange[] = []
    for (const reservation of call.reservations) {
      const more = tokens - reservation.tokens - reservation.excess
      if (more <= 0) continue
      reservation.excess += more
      changes.push({ level: reservation.level, second: null, tokens: more })
    }
    this.#lane.change(changes)
  }

  /** No-op: the refund's charge has already moved the totals. */
  readonly refund: Limits['refund'] = () => undefined

  /** No-op: the correction's row has already moved the totals. */
  readonly adjust: Limits['adjust'] = () => undefined

  readonly readWindows: Limits['readWindows'] = asked => readWindows(this.#dependencies.read, asked)

  readonly totals = (): LimitTotals => ({
    heldNanoDollars: this.#heldNanoDollars,
    holds: this.#holds,
    slots: this.#live.size + this.#slots.size,
  })

  async #decide(request: AdmissionRequest): Promise<Decision> {
    const { levels, estimate } = request
    // Ask for the full amount as long as no budget is known to be short.
    let budget = decideBudget([], estimate, 0)
    let known: PeriodStarts | null = null
    for (let attempt = 0; attempt < maxAttempts && budget.admitted; attempt += 1) {
      const { grant } = budget
      const periods = this.#periods.find(levels, known, this.#now())
      const demand = this.#buildDemand(request, periods, grant.amount)
      const answer = await this.#lane.decide(demand)
      if (answer.code === 'known') break
      if (answer.code === 'period') {
        known = answer.starts
        const latest = Math.max(answer.now, known.team, known.key)
        if (areOver(levels, latest)) throw new LevelsOver(latest)
        continue
      }
      this.#full.note(levels, answer)
      const rates = snapshotRates(countLevels(answer.windows), answer.now)
      this.#seen.set(levels, { rates, at: answer.now })
      if (answer.code === 'admitted') {
        const hold = buildHold(request, grant, periods, answer.now)
        this.#begin(hold, demand)
        return { admitted: true, hold, rates }
      }
      if (answer.code !== 'budget') return { admitted: false, refusal: this.#explain(request, answer), rates }
      // Less may fit: decide by what is really spent and held, and ask again.
      budget = decideBudget(listBudgets(levels, periods, answer.budgets), estimate, answer.now)
      if (!budget.admitted) return { admitted: false, refusal: budget.refusal, rates }
    }
    throw unavailable(1)
  }

  #explain(
    request: AdmissionRequest,
    answer: Extract<CallAnswer, { readonly code: 'slots' | 'rates' }>,
  ): Refusal {
    const { levels } = request
    if (answer.code === 'slots')
      return refuseSlot(levels.slots, answer.running + this.#slots.countUnasked(levels.keyHash))
    const refusal = decideRates(countLevels(answer.windows), request, answer.now)
    if (refusal === null) throw new Error('The database refused a call that fits all windows.')
    return refusal
  }

  /** Admits a call for information even without the database, in a slot that only this process counts. */
  #decideAlone({ callId, levels }: AdmissionRequest): Decision {
    const now = this.#now()
    const rates = this.#lastRates(levels, now)
    const { keyHash, slots } = levels
    const running = this.#slots.countRunning(keyHash) - (this.#slots.hasEntered(callId) ? 1 : 0)
    if (running >= slots) return { admitted: false, refusal: refuseSlot(slots, running), rates }
    const periods = this.#periods.find(levels, null, this.#now())
    const request = askForNothing(callId, levels)
    const grant = { amount: nanoDollars(0), outputCap: null, reduced: false }
    const hold = buildHold(request, grant, periods, now)
    this.#begin(hold, this.#buildDemand(request, periods, hold.amount))
    return { admitted: true, hold, rates }
  }

  #buildDemand(request: AdmissionRequest, periods: Periods, amount: NanoDollars): Demand {
    const { callId, levels, estimate, countsRequest, tokens } = request
    return {
      callId,
      levels,
      kind: levels.modelId === null ? 'info' : 'call',
      slots: levels.slots - this.#slots.countUnasked(levels.keyHash),
      amount,
      asksBudgets: estimate.kind !== 'none',
      countsRequest,
      tokens,
      wanted: levels.rates.map(rate => (rate.tokens === null ? 0 : clipReservation(tokens, rate.tokens))),
      periods,
    }
  }

  #begin(hold: Hold, demand: Demand): void {
    this.#slots.begin(hold.callId, hold.keyHash)
    const { rates } = findLevelNames(demand.levels)
    const takesTokens = demand.tokens.input + demand.tokens.output > 0
    const reservations = takesTokens
      ? rates.flatMap((level, index): Reservation[] =>
          level.tokens === null ? [] : [{ level, tokens: demand.wanted[index] ?? 0, excess: 0 }],
        )
      : []
    const second = Math.floor(hold.admittedAt / 1000)
    this.#live.set(hold.callId, { hold, demand, reservations, second, isReported: false })
    this.#heldNanoDollars += hold.amount
    if (hold.amount > 0) this.#holds += 1
  }

  /** Checks identity as well: a second call may have the id of one that has ended. */
  #end(hold: Hold): LiveCall | null {
    const call = this.#live.get(hold.callId)
    if (call === undefined || call.hold !== hold) return null
    this.#live.delete(hold.callId)
    this.#slots.end(hold.keyHash)
    this.#heldNanoDollars -= hold.amount
    if (hold.amount > 0) this.#holds -= 1
    return call
  }

  async #refuseEntry(levels: Levels, running: number): Promise<EarlyRefusal> {
    const refusal = refuseSlot(levels.slots, running)
    // Reads what is left of the windows with a call that may not run and takes nothing.
    const look = askForNothing(`look ${crypto.randomUUID()}`, levels)
    try {
      const demand = this.#buildDemand(look, this.#periods.find(levels, null, this.#now()), nanoDollars(0))
      const answer = await this.#lane.decide({ ...demand, slots: 0 })
      if (answer.code === 'slots')
        return { refusal, rates: snapshotRates(countLevels(answer.windows), answer.now) }
    } catch {
      // The call is refused in any case.
    }
    return { refusal, rates: this.#lastRates(levels, this.#now()) }
  }

  #refuseSecond(callId: string): void {
    if (this.#live.has(callId) || this.#slots.isAsking(callId))
      throw new Error(`The call ${callId} is already running.`)
  }

  /** Unix ms, by the database clock. */
  #now(): number {
    return this.#dependencies.clock() + this.#ahead
  }

  #lastRates(levels: Levels, now: number): RateSnapshot {
    const seen = this.#seen.get(levels)
    if (seen === undefined) return noRates
    const age = now - seen.at
    const { requests, tokens } = seen.rates
    return {
      requests: requests && { ...requests, resetMs: Math.max(0, requests.resetMs - age) },
      tokens: tokens && { ...tokens, resetMs: Math.max(0, tokens.resetMs - age) },
    }
  }

  /** Until the admission is on disk, a database crash may lose it, and with it what the call took of the windows. */
  #noteReleased({ demand, hold }: LiveCall): void {
    const { admittedAt } = hold
    if (admittedAt >= this.#answeredAt - forgettableMs)
      this.#released.push({ demand: { ...demand, kind: 'ended', amount: 0 }, admittedAt })
    if (this.#released.length >= 4096) this.#dropOldReleased()
  }

  #dropOldReleased(): void {
    const least = this.#answeredAt - forgettableMs
    this.#released = this.#released.filter(({ admittedAt }) => admittedAt >= least)
  }

  #listRunning() {
    this.#dropOldReleased()
    const ended = this.#released.map(({ demand }) => demand)
    this.#released = []
    const running: Demand[] = []
    for (const call of this.#live.values()) {
      call.isReported = true
      running.push(call.demand)
    }
    return { running, ended }
  }
}

/** Builds a request that takes nothing but a slot. */
function askForNothing(callId: string, levels: Levels): AdmissionRequest {
  const tokens = { input: 0, output: 0 }
  return { callId, levels, tokens, estimate: { kind: 'none' }, countsRequest: false }
}

function buildHold(
  { callId, levels: { teamId, keyHash, modelId } }: Pick<AdmissionRequest, 'callId' | 'levels'>,
  { amount, outputCap, reduced }: BudgetGrant,
  { team, key }: Periods,
  admittedAt: number,
): Hold {
  const periods = { team: team.start, key: key.start }
  return { callId, teamId, keyHash, modelId, amount, outputCap, reduced, periods, admittedAt }
}

function listBudgets(levels: Levels, periods: Periods, seen: readonly SeenBudget[]): BudgetLevel[] {
  return levels.budgets.map((budget, index) => {
    const { level } = budget
    const { spent, held } = seen[index] ?? { spent: 0, held: 0 }
    const { start, end } = periodOfLevel(periods, level)
    return {
      level,
      maximum: maximumIn(budget, start),
      maximumAfter: budget.maximum,
      // A correction may have raised it to the maximum that can be counted, and calls add to that.
      spent: nanoDollars(Math.min(spent, Number.MAX_SAFE_INTEGER)),
      held: nanoDollars(Math.min(held, Number.MAX_SAFE_INTEGER)),
      endsAt: resetWithin(levels, end),
    }
  })
}

function endingOf({ hold, demand }: LiveCall): Ending {
  const { callId, teamId, keyHash, modelId } = hold
  return { callId, teamId, keyHash, modelId, isOfEvent: isOfEvent(demand) }
}

/** Returns unused tokens to their second; tokens used beyond the reservation count from when they are known. */
function returnTokens({ reservations, second }: LiveCall, used: number): TokenChange[] {
  const changes: TokenChange[] = []
  for (const { level, tokens, excess } of reservations) {
    if (used > tokens + excess) changes.push({ level, second: null, tokens: used - tokens - excess })
    else if (used < tokens) changes.push({ level, second, tokens: used - tokens })
  }
  return changes
}
