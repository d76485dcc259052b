// Charges and open streams as the ledger's statements take them, for tests.
import type { OpenStreamsTable } from '../schema/ledger.ts'
import type { ChargeRow } from '../statements/charges.ts'

/** Ten nano-dollars of `team-1`, spent by `key-1` on `model-1` in the period that starts at 1,000. */
export function buildCharge(callId: string, changes: Partial<ChargeRow> = {}): ChargeRow {
  return {
    call_id: callId,
    team_id: 'team-1',
    key_hash: 'key-1',
    model_id: 'model-1',
    endpoint: 'chat',
    units: '{"input_text":1}',
    cost_nano: 10,
    outcome: 'completed',
    flag: null,
    admitted_at: 2000,
    settled_at: 2500,
    duration_ms: 500,
    team_period: 1000,
    key_period: 1000,
    closes_stream: false,
    ...changes,
  }
}

/** A stream of the same parties that has not reported anything. */
export function buildOpenStream(callId: string, changes: Partial<OpenStreamsTable> = {}): OpenStreamsTable {
  return {
    call_id: callId,
    team_id: 'team-1',
    key_hash: 'key-1',
    model_id: 'model-1',
    endpoint: 'chat',
    team_period: 1000,
    key_period: 1000,
    admitted_at: 2000,
    units: '{}',
    cost_nano: 0,
    progress_at: 2000,
    ...changes,
  }
}
