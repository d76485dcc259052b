// Writes a batch for `admit_2` and reads its answer. Uses flat lists of numbers and names because thousands pass each second.

import type { CountedLevel } from '../../ledger/decide-rates.ts'
import { eventPeriodStart, maximumIn } from '../levels.ts'
import type { Levels } from '../port.ts'
import {
  eventLevel,
  findLevelNames,
  lockOf,
  type NamedBudget,
  type NamedLevel,
  type NamedRate,
  nameOwners,
} from './level-names.ts'

/** A call to be decided. */
export type Demand = {
  readonly callId: string
  readonly levels: Levels
  /** `ended`: announced after a database crash, for what it took of the windows. */
  readonly kind: 'call' | 'info' | 'ended'
  /** Calls of the key that may run, minus those that only this process knows of. */
  readonly slots: number
  /** Nano-dollars. */
  readonly amount: number
  /** False if the call costs nothing by nature. */
  readonly asksBudgets: boolean
  readonly countsRequest: boolean
  readonly tokens: { readonly input: number; readonly output: number }
  /** Tokens requested from each token window, in the order of `levels.rates`. */
  readonly wanted: readonly number[]
  readonly periods: { readonly team: Period; readonly key: Period }
}

/** True if the call must hold part of the event's cap. */
export function isOfEvent({ levels }: Pick<Demand, 'levels'>): boolean {
  return findLevelNames(levels).event !== null
}

/** Unix ms; `end` is null if the period never ends. */
export type Period = { readonly start: number; readonly end: number | null }

/** A call that ends without a charge. */
export type Ending = Pick<Levels, 'teamId' | 'keyHash' | 'modelId'> & {
  readonly callId: string
  /** True if it holds part of the event's cap. */
  readonly isOfEvent: boolean
}

/** Tokens returned to a window (negative) or used beyond a reservation. */
export type TokenChange = {
  readonly level: NamedLevel
  /** Second of the reservation; null: they count from now on. */
  readonly second: number | null
  readonly tokens: number
}

/** One window of a call, as its decision has left it. Times are Unix ms. `…FreeAt` is null for never; only refusals by windows set it. */
export type SeenWindow = {
  readonly rate: NamedRate
  readonly requests: number
  readonly requestsEmptyAt: number
  readonly requestFreeAt: number | null
  readonly tokens: number
  readonly tokensEmptyAt: number
  readonly tokensFreeAt: number | null
}

export type SeenBudget = { readonly spent: number; readonly held: number }

/** `now`: time of the decision (Unix ms). */
type Seen = { readonly now: number; readonly windows: readonly SeenWindow[] }

export type CallAnswer =
  | (Seen & { readonly code: 'admitted' })
  | (Seen & { readonly code: 'slots'; readonly running: number })
  | (Seen & { readonly code: 'rates' })
  | (Seen & { readonly code: 'budget'; readonly budgets: readonly SeenBudget[] })
  /** The current period differs from the requested one: the latest known starts. */
  | { readonly code: 'period'; readonly now: number; readonly starts: PeriodStarts }
  /** Announced but already known. */
  | { readonly code: 'known'; readonly now: number }

/** Unix ms. */
export type PeriodStarts = { readonly team: number; readonly key: number }

export type BatchAnswer =
  | {
      readonly state: 'decided'
      readonly now: number
      /** Last directory change that was committed by then. */
      readonly directoryVersion: number
      /** When the ended calls were admitted; 0 if no call with that id was running. */
      readonly endings: readonly number[]
      readonly calls: readonly CallAnswer[]
    }
  | { readonly state: 'recovering' | 'lease_lost' }

/** Above this many requests a minute, the requests of half a second share an entry and free it together, at most that much later. */
const exactRequests = 120
const sharedMs = 500

/** Milliseconds that share one entry. */
function shareOf(requests: number | null): number {
  return requests !== null && requests > exactRequests ? sharedMs : 1
}

export class AdmissionBatch {
  readonly #calls: Demand[] = []
  readonly #locks = new Set<number>()
  readonly #teams = new Set<string>()
  readonly #numbers = new Map<string, number>()
  readonly #levels: {
    readonly named: NamedLevel
    sharedMs: number
    start: number
    end: number | null
    /** Without one, nothing is counted there unless another process knows of one. */
    isLimited: boolean
    changes: TokenChange[]
  }[] = []
  readonly #endedNames: string[] = []
  readonly #endedLevels: number[] = []
  readonly #callNames: (string | null)[] = []
  readonly #callNumbers: (number | null)[] = []
  #endings = 0

  get calls(): readonly Demand[] {
    return this.#calls
  }

  get teams(): number {
    return this.#teams.size
  }

  /** True if the batch already takes every lock that this needs. */
  hasTeam(teamId: string): boolean {
    return this.#teams.has(teamId)
  }

  /** False if the call must go into another batch: its owners' periods differ from those of an earlier call. */
  addCall(demand: Demand): boolean {
    const { levels, periods } = demand
    const names = findLevelNames(levels)
    if (this.#isOtherPeriod(names.team, periods.team) || this.#isOtherPeriod(names.key, periods.key))
      return false
    if (names.keyModel !== null && this.#isOtherPeriod(names.keyModel, periods.key)) return false
    this.#calls.push(demand)
    const team = this.#numberWithPeriod(names.team, periods.team)
    const key = this.#limit(this.#numberWithPeriod(names.key, periods.key))
    const keyModel = names.keyModel === null ? 0 : this.#numberWithPeriod(names.keyModel, periods.key)
    const event = names.event === null ? 0 : this.#numberWithPeriod(names.event, eventPeriod)
    const takesTokens = demand.tokens.input + demand.tokens.output > 0
    this.#callNames.push(demand.callId, levels.teamId, levels.keyHash, levels.modelId, demand.kind)
    this.#callNumbers.push(
      team,
      key,
      keyModel,
      demand.slots,
      demand.amount,
      demand.asksBudgets ? 1 : 0,
      demand.countsRequest ? 1 : 0,
      takesTokens ? 1 : 0,
      demand.tokens.input + demand.tokens.output,
      event,
      names.rates.length,
    )
    for (const [index, rate] of names.rates.entries()) {
      const number = this.#numberOf(rate)
      const level = this.#levels[number - 1]
      if (level !== undefined) level.sharedMs = Math.max(level.sharedMs, shareOf(rate.requests))
      this.#limit(number)
      this.#callNumbers.push(number, rate.requests, rate.tokens, demand.wanted[index] ?? 0)
    }
    this.#callNumbers.push(names.budgets.length)
    for (const budget of names.budgets)
      this.#callNumbers.push(this.#limit(this.#numberOf(budget.name)), maximumOf(budget, periods))
    return true
  }

  addEnding(ending: Ending): void {
    const { team, key, keyModel } = nameOwners(ending)
    this.#endings += 1
    this.#endedNames.push(ending.teamId, ending.callId)
    this.#endedLevels.push(
      this.#numberOf(team),
      this.#numberOf(key),
      keyModel === null ? 0 : this.#numberOf(keyModel),
      ending.isOfEvent ? this.#numberOf(eventLevel) : 0,
    )
  }

  addChange(change: TokenChange): void {
    this.#levels[this.#limit(this.#numberOf(change.level)) - 1]?.changes.push(change)
  }

  /** Parameters in the order of the function, after the process and its announce flag. */
  buildParameters(): string[] {
    const changes: (number | null)[] = []
    const numbers: (number | null)[] = []
    const names: string[] = []
    for (const [index, level] of this.#levels.entries()) {
      names.push(level.named.teamId, level.named.name)
      const first = level.changes.length === 0 ? 0 : changes.length / 3 + 1
      numbers.push(level.named.kind, level.sharedMs, level.start, level.end, first, level.isLimited ? 1 : 0)
      for (const { second, tokens } of level.changes) changes.push(index + 1, second, tokens)
    }
    return [
      writeNumbers([...this.#locks].sort((left, right) => left - right)),
      writeTexts(names),
      writeNumbers(numbers),
      writeNumbers(changes),
      writeTexts(this.#endedNames),
      writeNumbers(this.#endedLevels),
      writeTexts(this.#callNames),
      writeNumbers(this.#callNumbers),
    ]
  }

  readAnswer(text: string): BatchAnswer {
    const numbers = text.split(',')
    let at = 0
    const next = (): number => {
      const value = Number(numbers[at])
      at += 1
      if (!Number.isFinite(value)) throw new Error('admit_2 returned an unreadable answer.')
      return value
    }
    const state = next()
    if (state !== 0) return { state: state === 1 ? 'recovering' : 'lease_lost' }
    const now = next()
    const directoryVersion = next()
    const endings = Array.from({ length: this.#endings }, next)
    const calls = this.#calls.map((demand): CallAnswer => {
      const code = next()
      if (code === 6) return { code: 'known', now }
      if (code === 5) return { code: 'period', now, starts: { team: next(), key: next() } }
      const running = code === 1 ? next() : 0
      const { rates, budgets } = findLevelNames(demand.levels)
      const isRefusedByWindow = code === 2 || code === 3
      const windows = rates.map((rate): SeenWindow => {
        const requests = next()
        const requestsEmptyAt = now + next()
        const tokens = next()
        const tokensEmptyAt = now + next()
        const requestFree = isRefusedByWindow ? next() : 0
        const tokensFree = isRefusedByWindow ? next() : 0
        return {
          rate,
          requests,
          requestsEmptyAt,
          requestFreeAt: requestFree < 0 ? null : now + requestFree,
          tokens,
          tokensEmptyAt,
          tokensFreeAt: tokensFree < 0 ? null : now + tokensFree,
        }
      })
      if (code === 0) return { code: 'admitted', now, windows }
      if (code === 1) return { code: 'slots', now, running, windows }
      if (code === 4)
        return { code: 'budget', now, windows, budgets: budgets.map(() => ({ spent: next(), held: next() })) }
      return { code: 'rates', now, windows }
    })
    return { state: 'decided', now, directoryVersion, endings, calls }
  }

  #isOtherPeriod({ name }: NamedLevel, { start }: Period): boolean {
    const level = this.#levels[(this.#numbers.get(name) ?? 0) - 1]
    return level !== undefined && level.start >= 0 && level.start !== start
  }

  #numberWithPeriod(named: NamedLevel, { start, end }: Period): number {
    const number = this.#numberOf(named)
    const level = this.#levels[number - 1]
    if (level !== undefined) {
      level.start = start
      level.end = end
    }
    return number
  }

  #limit(number: number): number {
    const level = this.#levels[number - 1]
    if (level !== undefined) level.isLimited = true
    return number
  }

  /** Numbers start at 1. Owner names begin with their kind, and team and key ids are unique, so a name identifies one level. */
  #numberOf(named: NamedLevel): number {
    const found = this.#numbers.get(named.name)
    if (found !== undefined) return found
    this.#locks.add(lockOf(named))
    if (named.teamId !== '') this.#teams.add(named.teamId)
    const number = this.#levels.push({
      named,
      sharedMs: 1,
      start: -1,
      end: null,
      isLimited: false,
      changes: [],
    })
    this.#numbers.set(named.name, number)
    return number
  }
}

const eventPeriod: Period = { start: eventPeriodStart, end: null }

/** Amount that may be spent and held in the requested period. */
function maximumOf(budget: NamedBudget, { team, key }: Demand['periods']): number {
  const { level } = budget
  return maximumIn(budget, level === 'event' ? eventPeriodStart : level === 'team' ? team.start : key.start)
}

/** Formats arrays as PostgreSQL literals. */
function writeNumbers(numbers: readonly (number | null)[]): string {
  let text = '{'
  for (const [index, number] of numbers.entries())
    text += `${index === 0 ? '' : ','}${number === null ? 'NULL' : number}`
  return `${text}}`
}

function writeTexts(texts: readonly (string | null)[]): string {
  let text = '{'
  for (const [index, each] of texts.entries())
    text += `${index === 0 ? '' : ','}${each === null ? 'NULL' : quote(each)}`
  return `${text}}`
}

function quote(text: string): string {
  return `"${/[\\"]/.test(text) ? text.replaceAll(/[\\"]/g, '\\$&') : text}"`
}

export function countLevels(windows: readonly SeenWindow[]): CountedLevel[] {
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
