// Remembers which request windows are full and which budgets are spent, so that a storm of refused calls does not reach the database.
import type { RateSnapshot, Refusal } from '../../ledger/admission.ts'
import { nanoDollars } from '../../ledger/money.ts'
import type { EarlyRefusal, Levels } from '../port.ts'
import type { CallAnswer } from './admission-batch.ts'
import { findLevelNames, type NamedBudget, type NamedLevel } from './level-names.ts'

/** A full window stays full until `resetAt`: counts elsewhere only fall with time, and a released call stays counted. */
type FullWindow = {
  readonly limit: number
  readonly used: number
  readonly resetAt: number
  readonly emptyAt: number
}

/** A refund may return money to a budget, so it is soon asked for again. */
type SpentBudget = {
  readonly maximum: number
  readonly spent: number
  readonly held: number
  readonly until: number
}

const budgetMs = 1000

export class FullWindows {
  readonly #windows = new Map<string, FullWindow>()
  readonly #budgets = new Map<string, SpentBudget>()

  note(levels: Levels, answer: CallAnswer): void {
    if (answer.code === 'rates') {
      for (const { rate, requests, requestFreeAt, requestsEmptyAt } of answer.windows) {
        // If the count is above the limit (which was lowered), some entries leave before the next call has room.
        if (rate.requests === null || requests !== rate.requests || requestFreeAt === null) continue
        if (requestFreeAt > answer.now)
          this.#windows.set(rate.name, {
            limit: rate.requests,
            used: requests,
            resetAt: requestFreeAt,
            emptyAt: requestsEmptyAt,
          })
      }
    } else if (answer.code === 'budget') {
      for (const [index, budget] of findLevelNames(levels).budgets.entries()) {
        const seen = answer.budgets[index]
        if (seen === undefined) continue
        this.#budgets.set(budget.name.name, {
          maximum: maxOf(budget),
          ...seen,
          until: answer.now + budgetMs,
        })
      }
    }
  }

  /** Returns the known refusal of a call that counts; null if the database must be asked. `rates`: the values seen last. */
  refuse(levels: Levels, now: number, rates: RateSnapshot): EarlyRefusal | null {
    if (this.#windows.size === 0) return null
    let named: { readonly refusal: Refusal; readonly full: FullWindow } | null = null
    for (const rate of findLevelNames(levels).rates) {
      const full = this.#find(rate, rate.requests, now)
      if (full === null || (named !== null && full.resetAt <= named.full.resetAt)) continue
      const refusal: Refusal = {
        code: 'rpm_exceeded',
        level: rate.level,
        limit: full.limit,
        used: full.used,
        held: 0,
        resetAt: full.resetAt,
        retryAfterSeconds: Math.max(1, Math.ceil((full.resetAt - now) / 1000)),
      }
      named = { refusal, full }
    }
    if (named === null) return null
    const { limit, emptyAt } = named.full
    return {
      refusal: named.refusal,
      rates: { ...rates, requests: { limit, remaining: 0, resetMs: emptyAt - now } },
    }
  }

  /** Returns the refusal if a budget has less than `leastCost` left, otherwise null. */
  refuseCost(levels: Levels, leastCost: number, now: number): Refusal | null {
    const { budgets } = findLevelNames(levels)
    for (const budget of budgets) {
      const { name, level } = budget
      const maximum = maxOf(budget)
      const seen = this.#budgets.get(name.name)
      if (seen === undefined || seen.maximum !== maximum || seen.until <= now) continue
      if (leastCost <= maximum - seen.spent) continue
      return {
        code: 'budget_exceeded',
        level,
        limit: nanoDollars(Math.min(maximum, Number.MAX_SAFE_INTEGER)),
        used: seen.spent,
        held: seen.held,
        resetAt: null,
        retryAfterSeconds: null,
      }
    }
    return null
  }

  /** Drops expired entries. */
  tidy(now: number): void {
    for (const [name, { resetAt }] of this.#windows) if (resetAt <= now) this.#windows.delete(name)
    for (const [name, { until }] of this.#budgets) if (until <= now) this.#budgets.delete(name)
  }

  #find({ name }: NamedLevel, limit: number | null, now: number): FullWindow | null {
    const full = this.#windows.get(name)
    // The limit differs: the key, the team or the model was changed.
    return full === undefined || full.limit !== limit || full.resetAt <= now ? null : full
  }
}

/** Maximum over all periods: a remembered refusal must never refuse what a grant allows. */
function maxOf({ maximum, granted }: NamedBudget): number {
  return maximum + (granted?.amount ?? 0)
}
