// Limits for any number of processes on one PostgreSQL: `admit_1` decides there, for all of them at once; what a refusal says is decided here.
//
//   admit ──→ AdmissionLane ──→ admit_1 (one batch at a time, not waiting for the disk)
//   charge on disk (`settle_1`: money and slot are free) ──→ settle: unused tokens ride with the next batch
//   release ──→ AdmissionLane: slot, money and tokens, in one step
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import { periodOf } from '../../ledger/budget-period.ts'
import { type BudgetGrant, type BudgetLevel, decideBudget } from '../../ledger/decide-budget.ts'
import { type CountedLevel, decideRates, snapshotRates } from '../../ledger/decide-rates.ts'
import { type NanoDollars, nanoDollars } from '../../ledger/money.ts'
import { clipReservation } from '../../ledger/token-window.ts'
import type {
  AdmissionRequest,
  Decision,
  EarlyRefusal,
  Hold,
  KeyPeriod,
  Levels,
  Limits,
  LimitTotals,
  ModelSpend,
  OwnerPeriod,
  RateSnapshot,
  Refusal,
  Spend,
} from '../port.ts'
import type {
  CallAnswer,
  Demand,
  Period,
  PeriodStarts,
  SeenBudget,
  SeenWindow,
  TokenChange,
} from './admission-batch.ts'
import { AdmissionLane, type LaneDependencies, type RunQuery } from './admission-lane.ts'
import { FullWindows } from './full-windows.ts'
import { findLevelNames, type NamedLevel } from './level-names.ts'
import { readModelSpend, readSpend } from './read-spend.ts'
import { tidyStates } from './tidy-states.ts'

export type SharedLimitsDependencies = Omit<LaneDependencies, 'tellRunning' | 'noteCounted' | 'noteTime'> & {
  /** Unix ms, of this machine. */
  readonly clock: () => number
  /** For what nobody's call waits for. */
  readonly read: RunQuery
  /** False: every refusal is asked for again, so that all of its figures are those of the moment. */
  readonly remembersRefusals?: boolean
}

type Reservation = { readonly level: NamedLevel; readonly tokens: number; excess: number }

/** A call of this process. `second`: in which its tokens are counted. */
type LiveCall = {
  readonly hold: Hold
  readonly demand: Demand
  readonly reservations: readonly Reservation[]
  second: number
}

type Periods = { readonly team: Period; readonly key: Period }

/** How often a call is asked for again with another amount or other periods: neighbours may change both in between. */
const mostAttempts = 6
/** What the database may forget in a crash was admitted in its last 0.6 s (three times `wal_writer_delay`). */
const forgettableMs = 2000

const tidyMs = 60_000

const noRates: RateSnapshot = { requests: null, tokens: null }

/** Every member may be passed on alone. */
export class SharedLimits implements Limits {
  readonly #dependencies: SharedLimitsDependencies
  readonly #lane: AdmissionLane
  readonly #full = new FullWindows()
  readonly #live = new Map<string, LiveCall>()
  /** Calls that are being decided: their ids are taken. */
  readonly #asking = new Set<string>()
  /** Calls that have a slot and are not admitted yet: only this process knows of them. */
  readonly #entered = new Map<string, string>()
  /** By key: calls that have entered, those of them that are not asked for yet, and those that are admitted. */
  readonly #enteredOf = new Map<string, number>()
  readonly #unaskedOf = new Map<string, number>()
  readonly #runningOf = new Map<string, number>()
  /** Calls that were admitted and released a moment ago. */
  #released: { readonly demand: Demand; readonly admittedAt: number }[] = []
  /** When the database last answered, by its own clock. */
  #answeredAt = Number.NEGATIVE_INFINITY
  readonly #periods = new WeakMap<Levels, Periods>()
  readonly #seen = new WeakMap<Levels, { readonly rates: RateSnapshot; readonly at: number }>()
  readonly #lastSpend = new Map<string, Spend>()
  readonly #lastModelSpend = new Map<string, readonly ModelSpend[]>()
  readonly #stopTidying: () => void
  /** What the clock of the database is ahead of ours. */
  #ahead = 0
  #heldNanoDollars = 0
  #holds = 0

  constructor(dependencies: SharedLimitsDependencies) {
    this.#dependencies = dependencies
    this.#lane = new AdmissionLane({
      ...dependencies,
      tellRunning: () => this.#tellRunning(),
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

  /** Tells the database of this process. Until it has answered, calls are refused with 503. */
  begin(): Promise<void> {
    return this.#lane.begin()
  }

  /** After the last call has ended. */
  close(): Promise<void> {
    this.#stopTidying()
    return this.#lane.close()
  }

  readonly enter: Limits['enter'] = ({ callId, levels }) => {
    this.#refuseSecond(callId)
    if (this.#entered.has(callId)) throw new Error(`The call ${callId} is already running.`)
    const { keyHash, slots } = levels
    const running = this.#countRunning(keyHash)
    if (running >= slots) return this.#refuseEntry(levels, running)
    this.#entered.set(callId, keyHash)
    add(this.#enteredOf, keyHash, 1)
    add(this.#unaskedOf, keyHash, 1)
    return null
  }

  readonly leave = (callId: string): void => {
    const keyHash = this.#entered.get(callId)
    if (keyHash === undefined) return
    this.#entered.delete(callId)
    add(this.#enteredOf, keyHash, -1)
    if (!this.#asking.has(callId)) add(this.#unaskedOf, keyHash, -1)
  }

  readonly foresee: Limits['foresee'] = ({ levels, leastCost }) => {
    const now = this.#now()
    const rates = this.#lastRates(levels, now)
    const full = this.#full.refuse(levels, now, rates)
    if (full !== null) return full
    const refusal = this.#full.refuseCost(levels, leastCost, now)
    return refusal === null ? null : { refusal, rates }
  }

  readonly admit = (request: AdmissionRequest): Decision | Promise<Decision> => {
    const { callId, levels, countsRequest } = request
    this.#refuseSecond(callId)
    if (countsRequest && this.#dependencies.remembersRefusals !== false) {
      const now = this.#now()
      // With all slots taken it is a slot that refuses.
      const hasSlot = this.#entered.has(callId) || this.#countRunning(levels.keyHash) < levels.slots
      const full = hasSlot ? this.#full.refuse(levels, now, this.#lastRates(levels, now)) : null
      if (full !== null) return { admitted: false, ...full }
    }
    this.#beginAsking(callId)
    const decided = this.#decide(request).finally(() => this.#endAsking(callId))
    return levels.modelId === null ? decided.catch(() => this.#decideAlone(request)) : decided
  }

  readonly settle: Limits['settle'] = (hold, { tokens }) => {
    const call = this.#end(hold)
    if (call !== null) this.#lane.change(returnTokens(call, tokens))
  }

  readonly release: Limits['release'] = hold => {
    const call = this.#end(hold)
    if (call === null) return
    const { callId, teamId, keyHash, modelId } = hold
    this.#noteReleased(call)
    return this.#lane.end({ callId, teamId, keyHash, modelId }, returnTokens(call, 0))
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

  /** Its charge has moved the totals. */
  readonly refund: Limits['refund'] = () => undefined

  readonly readSpend = async (asked: readonly OwnerPeriod[]): Promise<readonly Spend[]> => {
    const names = asked.map(({ owner, periodStart }) => JSON.stringify([owner, periodStart]))
    try {
      const spends = await readSpend(this.#dependencies.read, asked)
      for (const [index, spend] of spends.entries()) remember(this.#lastSpend, names[index] ?? '', spend)
      return spends
    } catch (error) {
      return names.map(name => recall(this.#lastSpend, name, error))
    }
  }

  readonly readModelSpend = async (
    keys: readonly KeyPeriod[],
  ): Promise<readonly (readonly ModelSpend[])[]> => {
    const names = keys.map(({ keyHash, periodStart }) => JSON.stringify([keyHash, periodStart]))
    try {
      const spends = await readModelSpend(this.#dependencies.read, keys)
      for (const [index, spend] of spends.entries()) remember(this.#lastModelSpend, names[index] ?? '', spend)
      return spends
    } catch (error) {
      return names.map(name => recall(this.#lastModelSpend, name, error))
    }
  }

  readonly totals = (): LimitTotals => ({
    heldNanoDollars: this.#heldNanoDollars,
    holds: this.#holds,
    slots: this.#live.size + this.#entered.size,
  })

  async #decide(request: AdmissionRequest): Promise<Decision> {
    const { levels, estimate } = request
    // As asked, as long as no budget is known to be in the way.
    let budget = decideBudget([], estimate, 0)
    let known: PeriodStarts | null = null
    for (let attempt = 0; attempt < mostAttempts && budget.admitted; attempt += 1) {
      const { grant } = budget
      const periods = this.#findPeriods(levels, known)
      const demand = this.#buildDemand(request, periods, grant.amount)
      const answer = await this.#lane.decide(demand)
      if (answer.code === 'known') break
      if (answer.code === 'period') {
        known = answer.starts
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
      // Less may fit: decided by what is really spent and held, and asked for again.
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
      return refuseSlot(levels.slots, answer.running + this.#countOthers(levels.keyHash))
    const refusal = decideRates(countLevels(answer.windows), request, answer.now)
    if (refusal === null) throw new Error('The database has refused a call that fits all windows.')
    return refusal
  }

  /** A call for information runs, whatever the database does: in a slot that only this process counts. */
  #decideAlone({ callId, levels }: AdmissionRequest): Decision {
    const now = this.#now()
    const rates = this.#lastRates(levels, now)
    const { keyHash, slots } = levels
    const running = this.#countRunning(keyHash) - (this.#entered.has(callId) ? 1 : 0)
    if (running >= slots) return { admitted: false, refusal: refuseSlot(slots, running), rates }
    const periods = this.#findPeriods(levels, null)
    const request = {
      callId,
      levels,
      tokens: noTokens,
      estimate: { kind: 'none' },
      countsRequest: false,
    } as const
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
      slots: levels.slots - this.#countOthers(levels.keyHash),
      amount,
      asksBudgets: estimate.kind !== 'none',
      countsRequest,
      tokens,
      wanted: levels.rates.map(rate => (rate.tokens === null ? 0 : clipReservation(tokens, rate.tokens))),
      periods,
    }
  }

  #begin(hold: Hold, demand: Demand): void {
    // The slot of a call that has entered becomes that of the hold.
    this.leave(hold.callId)
    const { rates } = findLevelNames(demand.levels)
    const takesTokens = demand.tokens.input + demand.tokens.output > 0
    const reservations = takesTokens
      ? rates.flatMap((level, index): Reservation[] =>
          level.tokens === null ? [] : [{ level, tokens: demand.wanted[index] ?? 0, excess: 0 }],
        )
      : []
    const second = Math.floor(hold.admittedAt / 1000)
    this.#live.set(hold.callId, { hold, demand, reservations, second })
    add(this.#runningOf, hold.keyHash, 1)
    this.#heldNanoDollars += hold.amount
    if (hold.amount > 0) this.#holds += 1
  }

  /** Identity is checked as well: a second call may carry the id of one that has ended. */
  #end(hold: Hold): LiveCall | null {
    const call = this.#live.get(hold.callId)
    if (call === undefined || call.hold !== hold) return null
    this.#live.delete(hold.callId)
    add(this.#runningOf, hold.keyHash, -1)
    this.#heldNanoDollars -= hold.amount
    if (hold.amount > 0) this.#holds -= 1
    return call
  }

  async #refuseEntry(levels: Levels, running: number): Promise<EarlyRefusal> {
    const refusal = refuseSlot(levels.slots, running)
    // What is left of the windows, by a call that may not run and takes nothing.
    const look = {
      callId: `look ${crypto.randomUUID()}`,
      levels,
      tokens: noTokens,
      estimate: { kind: 'none' },
      countsRequest: false,
    } as const
    try {
      const demand = this.#buildDemand(look, this.#findPeriods(levels, null), nanoDollars(0))
      const answer = await this.#lane.decide({ ...demand, slots: 0 })
      if (answer.code === 'slots')
        return { refusal, rates: snapshotRates(countLevels(answer.windows), answer.now) }
    } catch {
      // It is refused all the same.
    }
    return { refusal, rates: this.#lastRates(levels, this.#now()) }
  }

  /** From now on the database counts it, among those of its batch that come before. */
  #beginAsking(callId: string): void {
    this.#asking.add(callId)
    const keyHash = this.#entered.get(callId)
    if (keyHash !== undefined) add(this.#unaskedOf, keyHash, -1)
  }

  #endAsking(callId: string): void {
    this.#asking.delete(callId)
    const keyHash = this.#entered.get(callId)
    if (keyHash !== undefined) add(this.#unaskedOf, keyHash, 1)
  }

  #refuseSecond(callId: string): void {
    if (this.#live.has(callId) || this.#asking.has(callId))
      throw new Error(`The call ${callId} is already running.`)
  }

  /** Of this process. */
  #countRunning(keyHash: string): number {
    return (this.#runningOf.get(keyHash) ?? 0) + (this.#enteredOf.get(keyHash) ?? 0)
  }

  /** Calls that have entered and are not asked for yet: the database does not know of them. */
  #countOthers(keyHash: string): number {
    return this.#unaskedOf.get(keyHash) ?? 0
  }

  /** `known`: later starts than ours that the database has. Periods never run backwards. */
  #findPeriods(levels: Levels, known: PeriodStarts | null): Periods {
    const now = this.#now()
    const last = this.#periods.get(levels)
    if (known === null && last !== undefined && holds(last.team, now) && holds(last.key, now)) return last
    const find = (owner: 'team' | 'key'): Period => {
      const { budgetDuration, budgetAnchor } = levels.periods[owner]
      const least = Math.max(
        known?.[owner] ?? Number.NEGATIVE_INFINITY,
        last?.[owner].start ?? Number.NEGATIVE_INFINITY,
      )
      const { start, end } = periodOf(budgetDuration, budgetAnchor, Math.max(now, least))
      return { start: Math.max(start, least), end }
    }
    const periods = { team: find('team'), key: find('key') }
    this.#periods.set(levels, periods)
    return periods
  }

  /** Unix ms, by the clock of the database. */
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

  /** The database may forget that it was admitted, and so what it took of the windows, as long as its admission is not on disk. */
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

  #tellRunning() {
    this.#dropOldReleased()
    const ended = this.#released.map(({ demand }) => demand)
    this.#released = []
    return { running: [...this.#live.values()].map(({ demand }) => demand), ended }
  }
}

const noTokens = { input: 0, output: 0 }
const mostRemembered = 10_000

function remember<Known>(last: Map<string, Known>, name: string, known: Known): void {
  if (last.size >= mostRemembered) last.clear()
  last.set(name, known)
}

/** What was last known. Throws ApiError `unavailable` where nothing is: nobody is told a spend that is not theirs. */
function recall<Known>(last: ReadonlyMap<string, Known>, name: string, error: unknown): Known {
  const known = last.get(name)
  if (known === undefined) throw unavailable(5, error)
  return known
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
  return levels.budgets.map(({ level, maximum }, index) => {
    const { spent, held } = seen[index] ?? { spent: 0, held: 0 }
    const { end } = level === 'team' ? periods.team : periods.key
    return { level, maximum, spent: nanoDollars(spent), held: nanoDollars(held), endsAt: end }
  })
}

function holds({ start, end }: Period, now: number): boolean {
  return start <= now && (end === null || now < end)
}

function add(counts: Map<string, number>, name: string, by: number): void {
  const count = (counts.get(name) ?? 0) + by
  if (count === 0) counts.delete(name)
  else counts.set(name, count)
}

/** What was not used goes back to its second; what was used beyond it counts from when it is known. */
function returnTokens({ reservations, second }: LiveCall, used: number): TokenChange[] {
  const changes: TokenChange[] = []
  for (const { level, tokens, excess } of reservations) {
    if (used > tokens + excess) changes.push({ level, second: null, tokens: used - tokens - excess })
    else if (used < tokens) changes.push({ level, second, tokens: used - tokens })
  }
  return changes
}

/** Windows as they were counted, for the rules that decide by windows in memory. */
function countLevels(windows: readonly SeenWindow[]): CountedLevel[] {
  return windows.map(window => ({
    level: window.rate.level,
    requests:
      window.rate.requests === null
        ? null
        : {
            limit: window.rate.requests,
            window: {
              count: () => window.requests,
              nextFreeAt: () => window.requestFreeAt,
              emptyAt: () => window.requestsEmptyAt,
            },
          },
    tokens:
      window.rate.tokens === null
        ? null
        : {
            limit: window.rate.tokens,
            window: {
              count: () => window.tokens,
              nextFreeAt: () => window.tokensFreeAt,
              emptyAt: () => window.tokensEmptyAt,
            },
          },
  }))
}

function refuseSlot(limit: number, used: number): Refusal {
  return {
    code: 'parallel_exceeded',
    level: 'key',
    limit,
    used,
    held: 0,
    resetAt: null,
    retryAfterSeconds: 1,
  }
}
