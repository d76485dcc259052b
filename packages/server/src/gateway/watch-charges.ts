// Reports charges to the operator: their sums in the metrics, and a warning for each upstream report that is not plausible.
import type { Log } from '../http/log.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Metered } from './flow/meter.ts'

export function watchCharges(
  metrics: Pick<Metrics, 'observeCharge'>,
  log: Pick<Log, 'warn'>,
): (charged: Metered) => void {
  return ({ admitted, units, cost, flag, reported }) => {
    metrics.observeCharge(admitted.model.id, units, cost, flag)
    if (reported === null) return
    const { callId, caller, model, hold } = admitted
    log.warn(
      {
        call_id: callId,
        team_id: caller.team.teamId,
        model: model.id,
        held_nano: hold.amount,
        flag,
        reported,
      },
      'An upstream reported usage that cannot be charged. The hold was charged instead.',
    )
  }
}
