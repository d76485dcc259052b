// What levels mean at a moment: how much a budget allows in its period, and whether the levels hold at all.
import { type NanoDollars, nanoDollars } from '../ledger/money.ts'
import type { BudgetLimit, Levels, Refusal } from './port.ts'

/** The cap of the event counts in one period without an end that starts here (Unix ms). */
export const eventPeriodStart = 0

/** The maximum in the period that starts at `periodStart` (Unix ms), with what was granted in it. */
export function maximumIn({ maximum, granted }: BudgetLimit, periodStart: number): NanoDollars {
  if (granted === null || granted.periodStart !== periodStart) return maximum
  return nanoDollars(Math.min(maximum + granted.amount, Number.MAX_SAFE_INTEGER))
}

/**
 * What `admit` throws or rejects with where the engine's clock says that the levels are over, though the caller's did not: nothing was
 * taken, and the caller builds the levels of the moment `now` (Unix ms, by the engine's clock) and asks again.
 */
export class LevelsOver extends Error {
  readonly now: number

  constructor(now: number) {
    super('The limits of this request no longer apply: another phase of the event has begun.')
    this.now = now
  }
}

/** Whether a paid call may no longer be decided by them at `now` (Unix ms). A call for information takes a slot alone, whatever the phase. */
export function areOver({ modelId, until }: Pick<Levels, 'modelId' | 'until'>, now: number): boolean {
  return modelId !== null && until !== null && until <= now
}

/** When a budget is whole again by the end of its period: not known (null) where other limits hold by then. */
export function resetWithin({ until }: Pick<Levels, 'until'>, end: number | null): number | null {
  return end !== null && until !== null && until <= end ? null : end
}

/** All parallel slots of the key are taken. */
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
