// Finds the budget periods that a call is counted in and caches them while they last.
import { periodOf } from '../../ledger/budget-period.ts'
import type { BudgetLevel } from '../../ledger/decide-budget.ts'
import { eventPeriodStart } from '../levels.ts'
import type { Levels } from '../port.ts'
import type { Period, PeriodStarts } from './admission-batch.ts'

export type Periods = { readonly team: Period; readonly key: Period }

export class BudgetPeriods {
  readonly #last = new WeakMap<Levels, Periods>()

  /** `known`: later period starts that the database has. Periods never run backwards. `now`: Unix ms, by the database clock. */
  find(levels: Levels, known: PeriodStarts | null, now: number): Periods {
    const last = this.#last.get(levels)
    if (known === null && last !== undefined && holds(last.team, now) && holds(last.key, now)) return last
    const find = (owner: 'team' | 'key'): Period => {
      const { budgetDuration, budgetAnchor, since } = levels.periods[owner]
      const least = Math.max(
        known?.[owner] ?? Number.NEGATIVE_INFINITY,
        last?.[owner].start ?? Number.NEGATIVE_INFINITY,
      )
      const { start, end } = periodOf(budgetDuration, budgetAnchor, Math.max(now, least), since)
      return {
        start: Math.max(start, least),
        end: firstOf(end, levels.modelId === null ? null : levels.until),
      }
    }
    const periods = { team: find('team'), key: find('key') }
    this.#last.set(levels, periods)
    return periods
  }
}

const eventPeriod: Period = { start: eventPeriodStart, end: null }

export function periodOfLevel(periods: Periods, level: BudgetLevel['level']): Period {
  if (level === 'event') return eventPeriod
  return level === 'team' ? periods.team : periods.key
}

function firstOf(end: number | null, until: number | null): number | null {
  return end === null || until === null ? (end ?? until) : Math.min(end, until)
}

function holds({ start, end }: Period, now: number): boolean {
  return start <= now && (end === null || now < end)
}
