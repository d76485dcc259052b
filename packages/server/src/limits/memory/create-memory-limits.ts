// Limits for a server of one process: all state in memory, every decision in one uninterrupted step.

import type { BudgetAccount } from '../../ledger/budget-account.ts'
import { decideBudget } from '../../ledger/decide-budget.ts'
import {
  decideRates,
  type RateLevel,
  snapshotRates,
  type TakenTokens,
  takeRates,
} from '../../ledger/decide-rates.ts'
import { type NanoDollars, nanoDollars } from '../../ledger/money.ts'
import { RequestWindow } from '../../ledger/request-window.ts'
import { TokenWindow } from '../../ledger/token-window.ts'
import { areOver, eventPeriodStart, LevelsOver, refuseSlot } from '../levels.ts'
import type {
  AdmissionRequest,
  Decision,
  EarlyRefusal,
  Hold,
  KeyPeriod,
  Levels,
  LevelsUse,
  Limits,
  LimitTotals,
  ModelSpend,
  OwnerPeriod,
  OwnerRef,
  Preview,
  RateUse,
  Refusal,
  Spend,
  WindowUse,
} from '../port.ts'
import type { GatheredWindows, GatherScope, WindowContents } from '../windows/window-contents.ts'
import {
  type CallStates,
  type CountedLevel,
  findBudgetLevels,
  findCallStates,
  findRateLevels,
  listCounted,
  rollAccounts,
} from './call-states.ts'
import { ChangeTracker } from './change-tracker.ts'
import {
  createOwnerStates,
  keyModelState,
  keyState,
  pruneOwnerStates,
  stateOf,
  teamState,
  type WindowState,
} from './owner-states.ts'

/** What a running call has taken. */
type LiveCall = {
  readonly hold: Hold
  readonly states: CallStates
  /** Every state that it is counted in. */
  readonly counted: readonly WindowState[]
  readonly taken: readonly TakenTokens[]
  /** Amount that it holds of the event's cap: 0 if there was none when it was admitted. */
  readonly ofEvent: NanoDollars
}

/** The ledger's total of an owner: its latest period, and the spend in it (nano-dollars; below zero if more was returned). */
export type OwnerTotal = OwnerPeriod & { readonly spent: number }

const pruneEveryMs = 60_000

/**
 * `admit` and `enter` decide synchronously; the port also allows engines that must ask another machine. Members are bound, so each can be
 * passed on alone.
 */
export class MemoryLimits implements Limits {
  readonly #clock: () => number
  readonly #states = createOwnerStates()
  readonly #live = new Map<string, LiveCall>()
  /** Calls that have a slot but are not admitted yet; they count for team and key. */
  readonly #entered = new Map<string, readonly WindowState[]>()
  readonly #changes = new ChangeTracker()
  #latest = Number.NEGATIVE_INFINITY
  #prunedAt = Number.NEGATIVE_INFINITY
  #heldNanoDollars = 0
  #holds = 0

  constructor(clock: () => number) {
    this.#clock = clock
  }

  readonly enter = ({ callId, levels }: Parameters<Limits['enter']>[0]): EarlyRefusal | null => {
    this.#refuseSecond(callId, this.#entered)
    const now = this.#readClock()
    const callStates = findCallStates(this.#states, levels)
    const { running } = callStates.key
    if (running >= levels.slots) {
      const rates = findRateLevels(this.#states, callStates, levels)
      return { refusal: refuseSlot(levels.slots, running), rates: snapshotRates(rates, now) }
    }
    const counted = [callStates.team, callStates.key]
    for (const state of counted) state.running += 1
    this.#entered.set(callId, counted)
    return null
  }

  readonly leave = (callId: string): void => {
    const counted = this.#entered.get(callId)
    if (counted === undefined) return
    this.#entered.delete(callId)
    for (const state of counted) state.running -= 1
  }

  readonly foresee: Limits['foresee'] = ({ levels, leastCost }) => {
    const now = this.#readClock()
    if (areOver(levels, now)) return null
    const callStates = findCallStates(this.#states, levels)
    const rateLevels = findRateLevels(this.#states, callStates, levels)
    const rates = snapshotRates(rateLevels, now)
    const demand = { countsRequest: true, tokens: { input: 0, output: 0 } }
    const rateRefusal = decideRates(rateLevels, demand, now)
    if (rateRefusal !== null) return { refusal: rateRefusal, rates }
    rollAccounts(callStates, levels, now)
    const estimate = { kind: 'fixed', cost: leastCost } as const
    const budget = decideBudget(findBudgetLevels(callStates, levels), estimate, now)
    // Held money may come back while the body arrives.
    const isSpent = !budget.admitted && budget.refusal.code === 'budget_exceeded'
    return isSpent ? { refusal: budget.refusal, rates } : null
  }

  readonly admit = (request: AdmissionRequest): Decision => {
    const { callId, levels } = request
    this.#refuseSecond(callId)
    const now = this.#readClock()
    if (areOver(levels, now)) throw new LevelsOver(now)
    const callStates = findCallStates(this.#states, levels)
    const rates = findRateLevels(this.#states, callStates, levels)
    const { running } = callStates.key
    if (!this.#entered.has(callId) && running >= levels.slots)
      return refuse(refuseSlot(levels.slots, running), rates, now)
    const rateRefusal = decideRates(rates, request, now)
    if (rateRefusal !== null) return refuse(rateRefusal, rates, now)
    rollAccounts(callStates, levels, now)
    const budget = decideBudget(findBudgetLevels(callStates, levels), request.estimate, now)
    if (!budget.admitted) return refuse(budget.refusal, rates, now)

    // Nothing above has taken anything, and nothing below can fail.
    const { grant } = budget
    const hold: Hold = {
      callId,
      teamId: levels.teamId,
      keyHash: levels.keyHash,
      modelId: levels.modelId,
      amount: grant.amount,
      outputCap: grant.outputCap,
      reduced: grant.reduced,
      periods: { team: callStates.team.account.start, key: callStates.key.account.start },
      admittedAt: now,
    }
    this.#take(request, callStates, hold, rates)
    return { admitted: true, hold, rates: snapshotRates(rates, now) }
  }

  readonly preview = ({ levels, tokens, estimate, countsRequest }: AdmissionRequest): Preview => {
    const now = this.#readClock()
    const callStates = findCallStates(this.#states, levels)
    const counted = findRateLevels(this.#states, callStates, levels)
    rollAccounts(callStates, levels, now)
    const budgets = findBudgetLevels(callStates, levels)
    const seen = { budgets, rates: snapshotRates(counted, now) }
    const refusal = decideRates(counted, { tokens, countsRequest }, now)
    if (refusal !== null) return { ...seen, refusal, grant: null }
    const budget = decideBudget(budgets, estimate, now)
    return budget.admitted
      ? { ...seen, refusal: null, grant: budget.grant }
      : { ...seen, refusal: budget.refusal, grant: null }
  }

  readonly settle: Limits['settle'] = (hold, actual) => this.#end(hold, actual.cost, actual.tokens)

  readonly release = (hold: Hold): void => this.#end(hold, nanoDollars(0), 0)

  readonly exceed = (hold: Hold, tokens: number): void => {
    const call = this.#live.get(hold.callId)
    if (call === undefined || call.hold !== hold || call.taken.length === 0) return
    const now = this.#readClock()
    for (const { window, reservation } of call.taken) window.exceed(reservation, tokens, now)
    for (const state of call.counted) this.#changes.note(state)
  }

  readonly refund: Limits['refund'] = ({ cost, ...charged }) => this.adjust({ ...charged, amount: -cost })

  readonly adjust: Limits['adjust'] = ({ teamId, keyHash, modelId, periods, amount }) => {
    this.#states.event.adjust(eventPeriodStart, amount)
    this.#createAccount({ kind: 'team', teamId }).adjust(periods.team, amount)
    if (keyHash === null) return
    this.#createAccount({ kind: 'key', teamId, keyHash }).adjust(periods.key, amount)
    if (modelId !== null)
      this.#createAccount({ kind: 'key_model', teamId, keyHash, modelId }).adjust(periods.key, amount)
  }

  /** Loads the ledger's totals before calls are admitted. Ignores a total of an earlier period than the known one. */
  readonly load = (totals: readonly OwnerTotal[]): void => {
    for (const { owner, periodStart, spent } of totals) this.#createAccount(owner).load(periodStart, spent)
  }

  readonly readSpend = (asked: readonly OwnerPeriod[]): Spend[] =>
    asked.map(({ owner, periodStart }) => spendIn(this.#findAccount(owner), periodStart))

  readonly readModelSpend = (keys: readonly KeyPeriod[]): ModelSpend[][] =>
    keys.map(({ keyHash, periodStart }) => {
      const spent: ModelSpend[] = []
      for (const [modelId, { account }] of this.#states.keys.get(keyHash)?.models ?? []) {
        const spend = spendIn(account, periodStart)
        if (spend.spent > 0) spent.push({ modelId, spent: spend.spent })
      }
      return spent.sort((left, right) => (left.modelId < right.modelId ? -1 : 1))
    })

  readonly readWindows = (asked: readonly Levels[]): LevelsUse[] => {
    const now = this.#readClock()
    return asked.map(levels => {
      const callStates = findCallStates(this.#states, levels)
      const rates = findRateLevels(this.#states, callStates, levels)
      return { running: callStates.key.running, rates: rates.map(rate => useOfRate(rate, now)) }
    })
  }

  readonly totals = (): LimitTotals => ({
    heldNanoDollars: this.#heldNanoDollars,
    holds: this.#holds,
    slots: this.#live.size + this.#entered.size,
  })

  /** What the windows have counted since they were last written; null if nothing. */
  readonly gatherWindows = (scope: GatherScope): GatheredWindows | null =>
    this.#changes.gather(scope, this.#readClock())

  /** Adds what the windows held before a restart, before calls are admitted. All of it is gathered again. */
  readonly restoreWindows = (windows: readonly WindowContents[]): void => {
    for (const { name, times, seconds } of windows) {
      const state = stateOf(this.#states, name)
      if (state === null) continue
      if (times.length > 0) state.requests = new RequestWindow(times)
      if (seconds.length > 0) state.tokens = new TokenWindow(seconds)
      this.#changes.note(state)
    }
  }

  /** Number of owners with state, for tests of its bound. */
  readonly owners = (): number => this.#states.service.size + this.#states.teams.size + this.#states.keys.size

  #refuseSecond(callId: string, entered?: ReadonlyMap<string, unknown>): void {
    if (this.#live.has(callId) || entered?.has(callId))
      throw new Error(`The call ${callId} is already running.`)
  }

  /** Unix ms; if the clock steps back, it counts as standing still. */
  #readClock(): number {
    this.#latest = Math.max(this.#latest, this.#clock())
    if (this.#latest >= this.#prunedAt + pruneEveryMs) {
      this.#prunedAt = this.#latest
      pruneOwnerStates(this.#states, this.#latest)
    }
    return this.#latest
  }

  #take(request: AdmissionRequest, callStates: CallStates, hold: Hold, rates: readonly CountedLevel[]): void {
    const { callId, countsRequest } = request
    const { amount } = hold
    const taken = takeRates(rates, request, hold.admittedAt)
    const counted = listCounted(callStates, rates)
    // The slot of an entered call becomes that of the hold: what counted before stops, and all of it counts from here.
    this.leave(callId)
    const isCounted = countsRequest || taken.length > 0
    for (const state of counted) {
      state.running += 1
      if (isCounted) this.#changes.note(state)
    }
    callStates.team.account.hold(amount)
    callStates.key.account.hold(amount)
    callStates.keyModel?.account.hold(amount)
    const ofEvent = request.levels.budgets.some(({ level }) => level === 'event') ? amount : nanoDollars(0)
    callStates.event.hold(ofEvent)
    this.#heldNanoDollars += amount
    if (amount > 0) this.#holds += 1
    this.#live.set(callId, { hold, states: callStates, counted, taken, ofEvent })
  }

  /** Checks identity as well: a second call may have the id of one that has ended. */
  #end(hold: Hold, cost: NanoDollars, tokens: number): void {
    const call = this.#live.get(hold.callId)
    if (call === undefined || call.hold !== hold) return
    // Read the clock first: it may drop idle state, and this call's state is not idle until it has ended.
    const now = this.#readClock()
    this.#live.delete(hold.callId)
    const { amount, periods } = hold
    this.#heldNanoDollars -= amount
    if (amount > 0) this.#holds -= 1
    for (const state of call.counted) state.running -= 1
    call.states.event.settle(eventPeriodStart, call.ofEvent, cost)
    call.states.team.account.settle(periods.team, amount, cost)
    call.states.key.account.settle(periods.key, amount, cost)
    call.states.keyModel?.account.settle(periods.key, amount, cost)
    for (const { window, reservation } of call.taken) window.settle(reservation, tokens, now)
    if (call.taken.length > 0) for (const state of call.counted) this.#changes.note(state)
  }

  #findAccount(owner: OwnerRef): BudgetAccount | undefined {
    if (owner.kind === 'event') return this.#states.event
    if (owner.kind === 'team') return this.#states.teams.get(owner.teamId)?.account
    const key = this.#states.keys.get(owner.keyHash)
    return owner.kind === 'key' ? key?.account : key?.models.get(owner.modelId)?.account
  }

  #createAccount(owner: OwnerRef): BudgetAccount {
    if (owner.kind === 'event') return this.#states.event
    if (owner.kind === 'team') return teamState(this.#states, owner.teamId).account
    const key = keyState(this.#states, owner.keyHash)
    return owner.kind === 'key' ? key.account : keyModelState(key, owner.modelId).account
  }
}

export function createMemoryLimits({ clock }: { readonly clock: () => number }): MemoryLimits {
  return new MemoryLimits(clock)
}

/** Zero for an account that was last counted in an earlier period. */
function spendIn(account: BudgetAccount | undefined, periodStart: number): Spend {
  if (account === undefined || account.start < periodStart) return nothingSpent
  return { spent: account.spent, held: account.held }
}

const nothingSpent: Spend = { spent: nanoDollars(0), held: nanoDollars(0) }

function refuse(refusal: Refusal, levels: readonly RateLevel[], now: number): Decision {
  return { admitted: false, refusal, rates: snapshotRates(levels, now) }
}

function useOfRate({ level, requests, tokens }: CountedLevel, now: number): RateUse {
  const describe = (limit: number, used: number, nextFreeAt: number | null): WindowUse => ({
    limit,
    used,
    freesAt: used < limit ? null : nextFreeAt,
  })
  return {
    level,
    requests:
      requests &&
      describe(requests.limit, requests.window.count(now), requests.window.nextFreeAt(requests.limit, now)),
    tokens:
      tokens &&
      describe(tokens.limit, tokens.window.count(now), tokens.window.nextFreeAt(1, tokens.limit, now)),
  }
}
