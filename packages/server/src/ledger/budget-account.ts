// Spent and held money of one owner in its current budget period. Holds and charges of older periods no longer count.
import { periodOf } from './budget-period.ts'
import { type NanoDollars, nanoDollars } from './money.ts'

/** Rules of an owner's periods; duration and anchor come from its record. */
export type PeriodRules = {
  readonly budgetDuration: string | null
  readonly budgetAnchor: number
  /** Unix ms; no period starts earlier. Null or absent unless a phase has begun new periods. */
  readonly since?: number | null
}

export class BudgetAccount {
  #start = Number.NEGATIVE_INFINITY
  #end: number | null = null
  /** Below zero if more was returned than spent. */
  #spent = 0
  #held = nanoDollars(0)
  #rules: PeriodRules | null = null

  /** Start of the current period, Unix ms; -Infinity until something is known. */
  get start(): number {
    return this.#start
  }

  /** Unix ms; null if the period never ends. */
  get end(): number | null {
    return this.#end
  }

  get spent(): NanoDollars {
    return nanoDollars(Math.max(0, this.#spent))
  }

  /** True if a new account would be the same, except for its period. */
  get isBlank(): boolean {
    return this.#spent === 0 && this.#held === 0
  }

  get held(): NanoDollars {
    return this.#held
  }

  /** Moves to the period that contains `now`. Stays if that would lead back. */
  roll({ budgetDuration, budgetAnchor, since = null }: PeriodRules, now: number): void {
    const rules = this.#rules
    const isKnown =
      rules !== null &&
      rules.budgetDuration === budgetDuration &&
      rules.budgetAnchor === budgetAnchor &&
      rules.since === since
    if (isKnown && (this.#end === null || now < this.#end)) return
    this.#rules = { budgetDuration, budgetAnchor, since }
    // A clock behind the recorded time counts as the recorded time: periods never run backwards.
    const period = periodOf(budgetDuration, budgetAnchor, Math.max(now, this.#start), since)
    this.rollTo(Math.max(period.start, this.#start), period.end)
  }

  /** Moves to a period known by its bounds. Stays if that would lead back. */
  rollTo(start: number, end: number | null): void {
    if (start < this.#start) return
    if (start > this.#start) {
      this.#spent = 0
      this.#held = nanoDollars(0)
      this.#start = start
    }
    this.#end = end
  }

  /** Sets what an earlier process had spent in the period that starts at `start`; older periods are ignored. */
  load(start: number, spent: number): void {
    if (start < this.#start) return
    this.rollTo(start, start === this.#start ? this.#end : null)
    this.#spent = spent
    // The end follows from the rules when they are next passed in.
    this.#rules = null
  }

  hold(amount: NanoDollars): void {
    this.#held = nanoDollars(saturate(this.#held + amount))
  }

  /** Ends a hold taken in the period `start` and adds its cost; does nothing if that period is over. */
  settle(start: number, heldAmount: NanoDollars, cost: NanoDollars): void {
    if (start !== this.#start) return
    this.#held = nanoDollars(Math.max(0, this.#held - heldAmount))
    this.#spent = saturate(this.#spent + cost)
  }

  /**
   * Corrects the spend of the period `start` by this amount, which may be negative; does nothing if that period is over. Moves an account
   * that has not reached that period yet to it.
   */
  adjust(start: number, amount: number): void {
    if (start > this.#start) this.load(start, 0)
    if (start === this.#start) this.#spent = saturate(this.#spent + amount)
  }
}

/** A settlement must never throw, or its hold would stay: the maximum of an account is 9 million USD. */
function saturate(amount: number): number {
  return Math.min(amount, Number.MAX_SAFE_INTEGER)
}
