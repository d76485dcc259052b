// Stage 6: the charge. It is on disk before anything is answered; the hold goes only when it is.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Limits } from '../../limits/port.ts'
import type { LedgerWriter } from '../../store/ledger-writer.ts'
import type { ChargeRow } from '../../store/statements/charges.ts'
import type { Metered } from './5-meter.ts'

export type Outcome = 'completed' | 'client_closed' | 'failed'

export type Settled = { readonly metered: Metered }

export type SettleDependencies = {
  readonly writer: Pick<LedgerWriter, 'charge'>
  readonly limits: Pick<Limits, 'settle' | 'exceed'>
  readonly clock: () => number
  readonly observeCharge: (metered: Metered) => void
}

export type Settle = (metered: Metered, outcome: Outcome, isStream: boolean) => Promise<Settled>

/** Throws ApiError `unavailable` (503) when the charge could not be written; it is then retried with the hold in place. */
export function createSettle(dependencies: SettleDependencies): Settle {
  return async (metered, outcome, isStream) => {
    const { hold } = metered.admitted
    const row = buildCharge(metered, outcome, isStream, dependencies.clock())
    dependencies.limits.exceed(hold, metered.tokens)
    try {
      await dependencies.writer.charge(row, () =>
        dependencies.limits.settle(hold, { cost: metered.cost, tokens: metered.tokens }),
      )
    } catch (cause) {
      throw refuseUnrecorded(cause)
    }
    dependencies.observeCharge(metered)
    return { metered }
  }
}

/** For a call whose charge could not be written. */
export function refuseUnrecorded(cause: unknown): ApiError {
  return new ApiError('unavailable', {
    message: 'The charge of this call could not be recorded, so its answer is withheld. Try again shortly.',
    headers: { 'retry-after': '5' },
    cause,
  })
}

export function buildCharge(metered: Metered, outcome: Outcome, isStream: boolean, now: number): ChargeRow {
  const { admitted } = metered
  return {
    call_id: admitted.callId,
    team_id: admitted.caller.team.teamId,
    key_hash: admitted.caller.key.keyHash,
    model_id: admitted.model.id,
    endpoint: admitted.endpoint,
    units: JSON.stringify(metered.units),
    cost_nano: metered.cost,
    outcome,
    flag: metered.flag,
    admitted_at: admitted.hold.admittedAt,
    settled_at: now,
    duration_ms: Math.max(0, now - admitted.hold.admittedAt),
    team_period: admitted.hold.periods.team,
    key_period: admitted.hold.periods.key,
    closes_stream: isStream,
  }
}
