// Charges and open streams as the ledger's statements take them, for tests.
import type { OpenStreamsTable } from '../schema/ledger.ts'
import type { VideoTasksTable } from '../schema/videos.ts'
import type { ChargeRow } from '../statements/charges.ts'
import type { LedgerBatch } from '../statements/ledger-batch.ts'
import type { StreamProgress } from '../statements/open-streams.ts'

export const emptyBatch: LedgerBatch = {
  opened: [],
  progress: [],
  charges: [],
  dropped: [],
  videoTasks: [],
  windows: null,
}

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
    reported: null,
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
    reserved_tokens: 0,
    units: '{}',
    cost_nano: 0,
    flag: null,
    reported: null,
    progress_at: 2000,
    ...changes,
  }
}

/** Of such a stream: five nano-dollars so far. */
export function buildProgress(callId: string, changes: Partial<StreamProgress> = {}): StreamProgress {
  return {
    team_id: 'team-1',
    call_id: callId,
    units: '{"output_text":5}',
    cost_nano: 5,
    flag: null,
    reported: null,
    progress_at: 2600,
    ...changes,
  }
}

/** A video of 100 nano-dollars that the same parties have ordered and the upstream has not taken yet. */
export function buildVideoTask(taskId: string, changes: Partial<VideoTasksTable> = {}): VideoTasksTable {
  return {
    team_id: 'team-1',
    task_id: taskId,
    interface: 'videos',
    key_hash: 'key-1',
    model_id: 'model-1',
    call_id: `call-${taskId}`,
    cost_nano: 100,
    team_period: 1000,
    key_period: 1000,
    endpoint: 'videos',
    state: 'submitting',
    wish: '{}',
    operation: null,
    upstream_key: null,
    error: null,
    files: '[]',
    stored_bytes: null,
    created_at: 2000,
    completed_at: null,
    expires_at: null,
    deadline_at: 9000,
    due_at: null,
    leased_until: 0,
    hidden: 0,
    ...changes,
  }
}
