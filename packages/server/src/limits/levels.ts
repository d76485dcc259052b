// Evaluates levels at a moment: how much a budget allows in its period, and whether the levels still apply.
import { type NanoDollars, nanoDollars } from '../ledger/money.ts'
import type { BudgetLimit, Levels, Refusal } from './port.ts'

/** The cap of the event counts in one endless period that starts here (Unix ms). */
export const eventPeriodStart = 0

/** The maximum in the period that starts at `periodStart` (Unix ms), including grants in it. */
export function maximumIn({ maximum, granted }: BudgetLimit, periodStart: number): NanoDollars {
  if (granted === null || granted.periodStart !== periodStart) return maximum
  return nanoDollars(Math.min(maximum + granted.amount, Number.MAX_SAFE_INTEGER))
}

/**
 * Thrown by `admit` (or its rejection) if the levels have expired by the engine's clock but not yet by the caller's. Nothing was taken; the
 * caller builds the levels for `now` (Unix ms, by the engine's clock) and asks again.
 */
export class LevelsOver extends Error {
  readonly now: number

  constructor(now: number) {
    super('The limits of this request no longer apply: another phase of the event has begun.')
    this.now = now
  }
}

/** True if they may no longer decide a paid call at `now` (Unix ms). A call for information only takes a slot, in any phase. */
export function areOver({ modelId, until }: Pick<Levels, 'modelId' | 'until'>, now: number): boolean {
  return modelId !== null && until !== null && until <= now
}

/** When a budget is full again at the end of its period: unknown (null) if other limits apply by then. */
export function resetWithin({ until }: Pick<Levels, 'until'>, end: number | null): number | null {
  return end !== null && until !== null && until <= end ? null : end
}

/** Refusal when all parallel slots of the key are taken. */
export function refuseSlot(limit: number, used: number): Refusal {
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
