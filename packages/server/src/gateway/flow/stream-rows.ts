// What the ledger keeps of a stream that is being served: the row that a crash would be charged from.
import type { OpenStreamsTable } from '../../store/schema/ledger.ts'
import type { StreamProgress } from '../../store/statements/open-streams.ts'
import type { UsageReport } from '../../upstream/port.ts'
import type { Admitted } from './admit.ts'
import { meter } from './meter.ts'

/** As the stream begins: nothing used. */
export function buildOpenRow(admitted: Admitted): OpenStreamsTable {
  return {
    call_id: admitted.callId,
    team_id: admitted.caller.team.teamId,
    key_hash: admitted.caller.key.keyHash,
    model_id: admitted.model.id,
    endpoint: admitted.endpoint,
    team_period: admitted.hold.periods.team,
    key_period: admitted.hold.periods.key,
    admitted_at: admitted.hold.admittedAt,
    reserved_tokens: admitted.reservedTokens,
    units: '{}',
    cost_nano: 0,
    flag: null,
    reported: null,
    progress_at: admitted.hold.admittedAt,
  }
}

/** The usage reported so far, by choice, at most what is held; null while none is, so that a stream that only waits writes nothing. */
export function buildProgress(
  admitted: Admitted,
  usages: readonly (UsageReport | null)[],
  now: number,
): StreamProgress | null {
  const reports = usages.flatMap(usage => (usage?.kind === 'reported' ? [usage] : []))
  if (reports.length === 0) return null
  const metered = meter(admitted, reports)
  return {
    team_id: admitted.caller.team.teamId,
    call_id: admitted.callId,
    units: JSON.stringify(metered.units),
    cost_nano: metered.cost,
    flag: metered.flag,
    reported: metered.reported,
    progress_at: now,
  }
}
