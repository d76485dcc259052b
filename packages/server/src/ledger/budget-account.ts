// Spent and held money of one owner in its current budget period; an older period's holds and charges no longer count.
import { periodOf } from './budget-period.ts'
import { type NanoDollars, nanoDollars } from './money.ts'

/** How an owner's periods run: both members come from its record. */
export type PeriodRules = { readonly budgetDuration: string | null; readonly budgetAnchor: number }

export class BudgetAccount {
  #start = Number.NEGATIVE_INFINITY
  #end: number | null = null
  #spent = nanoDollars(0)
  #held = nanoDollars(0)
  #rules: PeriodRules | null = null

  /** Start of the current period, Unix ms; -Infinity until something is known. */
  get start(): number {
    return this.#start
  }

  /** Unix ms; null when the period never ends. */
  get end(): number | null {
    return this.#end
  }

  get spent(): NanoDollars {
    return this.#spent
  }

  get held(): NanoDollars {
    return this.#held
  }

  /** Moves to the period that holds `now`, or stays when that would lead back. */
  roll({ budgetDuration, budgetAnchor }: PeriodRules, now: number): void {
    const rules = this.#rules
    const isKnown =
      rules !== null && rules.budgetDuration === budgetDuration && rules.budgetAnchor === budgetAnchor
    if (isKnown && (this.#end === null || now < this.#end)) return
    this.#rules = { budgetDuration, budgetAnchor }
    // A clock behind what is already recorded counts as the record's time: periods never run backwards.
    const period = periodOf(budgetDuration, budgetAnchor, Math.max(now, this.#start))
    this.rollTo(Math.max(period.start, this.#start), period.end)
  }

  /** Moves to a period known by its bounds, or stays when that would lead back. */
  rollTo(start: number, end: number | null): void {
    if (start < this.#start) return
    if (start > this.#start) {
      this.#spent = nanoDollars(0)
      this.#held = nanoDollars(0)
      this.#start = start
    }
    this.#end = end
  }

  /** Sets what an earlier life of the process had spent in the period that starts at `start`; older periods are ignored. */
  load(start: number, spent: NanoDollars): void {
    if (start < this.#start) return
    this.rollTo(start, start === this.#start ? this.#end : null)
    this.#spent = spent
    // The end follows from the rules when these are next seen.
    this.#rules = null
  }

  hold(amount: NanoDollars): void {
    this.#held = saturate(this.#held + amount)
  }

  /** Ends a hold taken in the period `start` and adds what it cost; does nothing when that period is over. */
  settle(start: number, heldAmount: NanoDollars, cost: NanoDollars): void {
    if (start !== this.#start) return
    this.#held = nanoDollars(Math.max(0, this.#held - heldAmount))
    this.#spent = saturate(this.#spent + cost)
  }

  /** Takes back a cost that was settled in the period `start`; does nothing when that period is over. */
  refund(start: number, cost: NanoDollars): void {
    if (start === this.#start) this.#spent = nanoDollars(Math.max(0, this.#spent - cost))
  }
}

/** A settlement must never throw, or its hold would stay: 9 million USD in one account is the most it can show. */
function saturate(amount: number): NanoDollars {
  return nanoDollars(Math.min(amount, Number.MAX_SAFE_INTEGER))
}
