// What the ledger keeps of a stream that is being served: the row that a crash would be charged from.
import type { CallFacts } from '../../ledger/call-record.ts'
import type { OpenedStream, StreamProgress } from '../../ledger/charge.ts'
import type { UsageReport } from '../../upstream/port.ts'
import type { Admitted } from './admit.ts'
import { meter } from './meter.ts'

/** As the stream begins: nothing used. */
export function buildOpenRow(admitted: Admitted, facts: CallFacts | null): OpenedStream {
  return {
    callId: admitted.callId,
    teamId: admitted.caller.team.teamId,
    keyHash: admitted.caller.key.keyHash,
    modelId: admitted.model.id,
    endpoint: admitted.endpoint,
    periods: admitted.hold.periods,
    admittedAt: admitted.hold.admittedAt,
    reservedTokens: admitted.reservedTokens,
    facts,
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
    teamId: admitted.caller.team.teamId,
    callId: admitted.callId,
    units: metered.units,
    cost: metered.cost,
    flag: metered.flag,
    reported: metered.reported,
    progressAt: now,
  }
}
