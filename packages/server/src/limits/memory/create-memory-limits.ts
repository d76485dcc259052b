// Limits for a server of one process: all state in memory, every decision one uninterrupted step.
import { decideBudget } from '../../ledger/decide-budget.ts'
import { decideRates, snapshotRates, type TakenTokens, takeRates } from '../../ledger/decide-rates.ts'
import { type NanoDollars, nanoDollars } from '../../ledger/money.ts'
import { createRequestWindow } from '../../ledger/request-window.ts'
import { createTokenWindow } from '../../ledger/token-window.ts'
import type {
  AdmissionRequest,
  Decision,
  EarlyRefusal,
  Hold,
  Limits,
  OwnerRef,
  Parties,
  Refusal,
} from '../port.ts'
import type { GatheredWindows, GatherScope, WindowContents } from '../windows/window-contents.ts'
import {
  buildBudgetLevels,
  buildRateLevels,
  type CallStates,
  findCallStates,
  rollAccounts,
} from './build-levels.ts'
import { createChangeTracker } from './change-tracker.ts'
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
type LiveCall = { readonly hold: Hold; readonly states: CallStates; readonly taken: readonly TakenTokens[] }

/** `admit` and `enter` decide at once; the port also allows engines that must ask another machine. */
export type MemoryLimits = Omit<Limits, 'admit' | 'enter'> & {
  readonly admit: (request: AdmissionRequest) => Decision
  /** What the windows have counted since it was last written down; null when nothing. */
  readonly gatherWindows: (scope: GatherScope) => GatheredWindows | null
  /** Adds what was known of windows before a restart, before calls are admitted. All of it is gathered again. */
  readonly restoreWindows: (windows: readonly WindowContents[]) => void
  readonly enter: (call: Parties & { readonly callId: string }) => EarlyRefusal | null
  /** Owners with state, for tests of its bound. */
  readonly owners: () => number
}

const pruneEveryMs = 60_000

export function createMemoryLimits({ clock }: { readonly clock: () => number }): MemoryLimits {
  const states = createOwnerStates()
  const live = new Map<string, LiveCall>()
  const changes = createChangeTracker()
  /** Calls that have a slot and are not admitted yet: it counts for team and key. */
  const entered = new Map<string, readonly WindowState[]>()
  let latest = Number.NEGATIVE_INFINITY
  let prunedAt = Number.NEGATIVE_INFINITY
  let heldNanoDollars = 0
  let holds = 0

  /** Unix ms; a clock that steps back counts as standing still. */
  const readClock = (): number => {
    latest = Math.max(latest, clock())
    if (latest >= prunedAt + pruneEveryMs) {
      prunedAt = latest
      pruneOwnerStates(states, latest)
    }
    return latest
  }

  const take = (
    request: AdmissionRequest,
    callStates: CallStates,
    hold: Hold,
    taken: readonly TakenTokens[],
  ) => {
    const { amount } = hold
    // The slot of a call that has entered becomes that of the hold: what counted before stops, all of it counts from here.
    leave(request.callId)
    const isCounted = request.countsRequest || taken.length > 0
    for (const state of statesOf(callStates)) {
      state.running += 1
      if (isCounted) changes.note(state)
    }
    for (const account of accountsOf(callStates)) account.hold(amount)
    heldNanoDollars += amount
    if (amount > 0) holds += 1
    live.set(request.callId, { hold, states: callStates, taken })
  }

  const leave = (callId: string) => {
    const counted = entered.get(callId)
    if (counted === undefined) return
    entered.delete(callId)
    for (const state of counted) state.running -= 1
  }

  const enter = ({ callId, team, key }: Parties & { readonly callId: string }): EarlyRefusal | null => {
    if (entered.has(callId) || live.has(callId)) throw new Error(`The call ${callId} is already running.`)
    const parties = { team, key, model: null }
    const now = readClock()
    const callStates = findCallStates(states, parties)
    const { running } = callStates.key
    if (running >= key.maxParallelRequests) {
      const rates = snapshotRates(buildRateLevels(callStates, parties), now)
      return { refusal: refuseSlot(key.maxParallelRequests, running), rates }
    }
    const counted = [callStates.team, callStates.key]
    for (const state of counted) state.running += 1
    entered.set(callId, counted)
    return null
  }

  const foresee: Limits['foresee'] = ({ team, key, leastCost }) => {
    const parties = { team, key, model: null }
    const now = readClock()
    const callStates = findCallStates(states, parties)
    const levels = buildRateLevels(callStates, parties)
    const rates = snapshotRates(levels, now)
    const demand = { countsRequest: true, tokens: { input: 0, output: 0 } }
    const rateRefusal = decideRates(levels, demand, now)
    if (rateRefusal !== null) return { refusal: rateRefusal, rates }
    rollAccounts(callStates, parties, now)
    const budget = decideBudget(
      buildBudgetLevels(callStates, parties),
      { kind: 'fixed', cost: leastCost },
      now,
    )
    // Held money may come back while the body arrives.
    const isSpent = !budget.admitted && budget.refusal.code === 'budget_exceeded'
    return isSpent ? { refusal: budget.refusal, rates } : null
  }

  /** Identity is checked as well: a second call may carry the id of one that has ended. */
  const end = (hold: Hold, cost: NanoDollars, tokens: number) => {
    const call = live.get(hold.callId)
    if (call === undefined || call.hold !== hold) return
    // Read first: it may drop idle state, and this call's is not idle until it has ended.
    const now = readClock()
    live.delete(hold.callId)
    const { amount, periods } = hold
    heldNanoDollars -= amount
    if (amount > 0) holds -= 1
    const touched = statesOf(call.states)
    for (const state of touched) state.running -= 1
    call.states.team.account.settle(periods.team, amount, cost)
    call.states.key.account.settle(periods.key, amount, cost)
    call.states.keyModel?.account.settle(periods.key, amount, cost)
    for (const { window, reservation } of call.taken) window.settle(reservation, tokens, now)
    if (call.taken.length > 0) for (const state of touched) changes.note(state)
  }

  const exceed = (hold: Hold, tokens: number) => {
    const call = live.get(hold.callId)
    if (call === undefined || call.hold !== hold || call.taken.length === 0) return
    const now = readClock()
    for (const { window, reservation } of call.taken) window.exceed(reservation, tokens, now)
    for (const state of statesOf(call.states)) changes.note(state)
  }

  const admit = (request: AdmissionRequest): Decision => {
    if (live.has(request.callId)) throw new Error(`The call ${request.callId} is already running.`)
    const now = readClock()
    const callStates = findCallStates(states, request)
    const levels = buildRateLevels(callStates, request)
    const refuse = (refusal: Refusal): Decision => ({
      admitted: false,
      refusal,
      rates: snapshotRates(levels, now),
    })

    const { running } = callStates.key
    if (!entered.has(request.callId) && running >= request.key.maxParallelRequests)
      return refuse(refuseSlot(request.key.maxParallelRequests, running))
    const rateRefusal = decideRates(levels, request, now)
    if (rateRefusal !== null) return refuse(rateRefusal)
    rollAccounts(callStates, request, now)
    const budget = decideBudget(buildBudgetLevels(callStates, request), request.estimate, now)
    if (!budget.admitted) return refuse(budget.refusal)

    // Nothing above has taken anything, nothing below can fail.
    const hold: Hold = {
      callId: request.callId,
      teamId: request.team.teamId,
      keyHash: request.key.keyHash,
      modelId: request.model?.id ?? null,
      ...budget.grant,
      periods: { team: callStates.team.account.start(), key: callStates.key.account.start() },
      admittedAt: now,
    }
    take(request, callStates, hold, takeRates(levels, request, now))
    return { admitted: true, hold, rates: snapshotRates(levels, now) }
  }

  const findAccount = (owner: OwnerRef) => {
    if (owner.kind === 'team') return states.teams.get(owner.teamId)?.account
    const key = states.keys.get(owner.keyHash)
    return owner.kind === 'key' ? key?.account : key?.models.get(owner.modelId)?.account
  }

  const createAccount = (owner: OwnerRef) => {
    if (owner.kind === 'team') return teamState(states, owner.teamId).account
    const key = keyState(states, owner.keyHash)
    return owner.kind === 'key' ? key.account : keyModelState(key, owner.modelId).account
  }

  return Object.freeze({
    enter,
    leave,
    foresee,
    admit,
    settle: (hold: Hold, actual: { readonly cost: NanoDollars; readonly tokens: number }) =>
      end(hold, actual.cost, actual.tokens),
    release: (hold: Hold) => end(hold, nanoDollars(0), 0),
    exceed,
    refund: ({ teamId, keyHash, modelId, periods, cost }) => {
      findAccount({ kind: 'team', teamId })?.refund(periods.team, cost)
      findAccount({ kind: 'key', keyHash })?.refund(periods.key, cost)
      if (modelId !== null) findAccount({ kind: 'key_model', keyHash, modelId })?.refund(periods.key, cost)
    },
    load: totals => {
      for (const { owner, periodStart, spent } of totals) createAccount(owner).load(periodStart, spent)
    },
    spendOf: (owner, periodStart) => {
      const account = findAccount(owner)
      if (account === undefined || account.start() < periodStart)
        return { spent: nanoDollars(0), held: nanoDollars(0) }
      return { spent: account.spent(), held: account.held() }
    },
    modelsOf: keyHash => [...(states.keys.get(keyHash)?.models.keys() ?? [])].sort(),
    running: keyHash => states.keys.get(keyHash)?.running ?? 0,
    totals: () => ({ heldNanoDollars, holds, slots: live.size + entered.size }),
    rates: (team, key, model) => {
      const now = readClock()
      const parties = { team, key, model: model ?? null }
      return snapshotRates(buildRateLevels(findCallStates(states, parties), parties), now)
    },
    gatherWindows: scope => changes.gather(scope, readClock()),
    restoreWindows: windows => {
      for (const { name, times, seconds } of windows) {
        const state = stateOf(states, name)
        if (state === null) continue
        if (times.length > 0) state.requests = createRequestWindow(times)
        if (seconds.length > 0) state.tokens = createTokenWindow(seconds)
        changes.note(state)
      }
    },
    owners: () => states.service.size + states.teams.size + states.keys.size,
  } satisfies MemoryLimits)
}

function refuseSlot(limit: number, running: number): Refusal {
  return {
    code: 'parallel_exceeded',
    level: 'key',
    limit,
    used: running,
    held: 0,
    resetAt: null,
    retryAfterSeconds: 1,
  }
}

function statesOf({ team, key, service, teamModel, keyModel }: CallStates) {
  return [team, key, service, teamModel, keyModel].filter(state => state !== null)
}

function accountsOf({ team, key, keyModel }: CallStates) {
  return keyModel === null ? [team.account, key.account] : [team.account, key.account, keyModel.account]
}
