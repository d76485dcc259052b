// Spent and held money of one owner in its current budget period; an older period's holds and charges no longer count.
import { periodOf } from './budget-period.ts'
import { type NanoDollars, nanoDollars } from './money.ts'

/** How an owner's periods run: both members come from its record. */
export type PeriodRules = { readonly budgetDuration: string | null; readonly budgetAnchor: number }

export type BudgetAccount = {
  /** Start of the current period, Unix ms; -Infinity until something is known. */
  readonly start: () => number
  readonly end: () => number | null
  readonly spent: () => NanoDollars
  readonly held: () => NanoDollars
  /** Moves to the period that holds `now`, or stays when that would lead back. */
  readonly roll: (rules: PeriodRules, now: number) => void
  /** Moves to a period known by its bounds, or stays when that would lead back. */
  readonly rollTo: (start: number, end: number | null) => void
  /** Sets what an earlier life of the process had spent in the period that starts at `start`; older periods are ignored. */
  readonly load: (start: number, spent: NanoDollars) => void
  readonly hold: (amount: NanoDollars) => void
  /** Ends a hold taken in the period `start` and adds what it cost; does nothing when that period is over. */
  readonly settle: (start: number, heldAmount: NanoDollars, cost: NanoDollars) => void
  /** Takes back a cost that was settled in the period `start`; does nothing when that period is over. */
  readonly refund: (start: number, cost: NanoDollars) => void
}

export function createBudgetAccount(): BudgetAccount {
  let start = Number.NEGATIVE_INFINITY
  let end: number | null = null
  let spent = nanoDollars(0)
  let held = nanoDollars(0)
  let rules: PeriodRules | null = null

  const rollTo = (newStart: number, newEnd: number | null) => {
    if (newStart < start) return
    if (newStart > start) {
      spent = nanoDollars(0)
      held = nanoDollars(0)
      start = newStart
    }
    end = newEnd
  }
  const roll = (newRules: PeriodRules, now: number) => {
    const { budgetDuration, budgetAnchor } = newRules
    const isKnown =
      rules !== null && rules.budgetDuration === budgetDuration && rules.budgetAnchor === budgetAnchor
    if (isKnown && (end === null || now < end)) return
    rules = newRules
    // A clock behind what is already recorded counts as the record's time: periods never run backwards.
    const period = periodOf(budgetDuration, budgetAnchor, Math.max(now, start))
    rollTo(Math.max(period.start, start), period.end)
  }

  return {
    start: () => start,
    end: () => end,
    spent: () => spent,
    held: () => held,
    roll,
    rollTo,
    load: (loadedStart, loadedSpent) => {
      if (loadedStart < start) return
      rollTo(loadedStart, loadedStart === start ? end : null)
      spent = loadedSpent
      // The end follows from the rules when these are next seen.
      rules = null
    },
    hold: amount => {
      held = saturate(held + amount)
    },
    settle: (holdStart, heldAmount, cost) => {
      if (holdStart !== start) return
      held = nanoDollars(Math.max(0, held - heldAmount))
      spent = saturate(spent + cost)
    },
    refund: (chargedStart, cost) => {
      if (chargedStart === start) spent = nanoDollars(Math.max(0, spent - cost))
    },
  }
}

/** A settlement must never throw, or its hold would stay: 9 million USD in one account is the most it can show. */
function saturate(amount: number): NanoDollars {
  return nanoDollars(Math.min(amount, Number.MAX_SAFE_INTEGER))
}
