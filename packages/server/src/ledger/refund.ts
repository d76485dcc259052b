// Builds the charge that reverses another one.
import type { Charge } from './charge.ts'

/** Id of the charge that refunds a call. */
export function refundOf(callId: string): string {
  return `${callId}/refund`
}

type Refunded = Pick<
  Charge,
  | 'callId'
  | 'teamId'
  | 'keyHash'
  | 'modelId'
  | 'budgetModelId'
  | 'endpoint'
  | 'cost'
  | 'admittedAt'
  | 'periods'
>

/** Counts in the periods of the charge. Its id can be in the ledger only once, so a repeated refund changes nothing. `now`: Unix ms. */
export function buildRefund(charge: Refunded, now: number): Charge {
  const { budgetModelId } = charge
  return {
    callId: refundOf(charge.callId),
    teamId: charge.teamId,
    keyHash: charge.keyHash,
    modelId: charge.modelId,
    ...(budgetModelId === undefined ? {} : { budgetModelId }),
    endpoint: charge.endpoint,
    units: {},
    cost: -charge.cost,
    outcome: 'refunded',
    flag: null,
    reported: null,
    admittedAt: charge.admittedAt,
    settledAt: now,
    durationMs: Math.max(0, now - charge.admittedAt),
    periods: charge.periods,
    kind: 'call',
    facts: null,
  }
}
