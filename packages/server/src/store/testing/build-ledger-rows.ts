// Charges, streams and videos as the ledger's statements take them, for tests.
import type { CallFacts, CallRecord } from '../../ledger/call-record.ts'
import type { Charge, OpenedStream, StreamProgress } from '../../ledger/charge.ts'
import type { ShownVideo, VideoTask } from '../../ledger/video-task.ts'
import type { ServedStream } from '../running-streams.ts'
import type { AdjustmentsTable } from '../schema/ledger.ts'
import type { Correction } from '../statements/adjustments.ts'
import type { LedgerBatch } from '../statements/ledger-batch.ts'
import type { ProcessRef } from '../statements/processes.ts'

/** The process that writes the rows below. */
export const thisProcess: ProcessRef = { processId: 'process-1', slot: 0 }

export const emptyBatch: LedgerBatch = {
  process: thisProcess,
  opened: [],
  progress: [],
  charges: [],
  dropped: [],
  videoTasks: [],
  undelivered: [],
  windows: null,
}

/** Ten nano-dollars of `team-1`, spent by `key-1` on `model-1` in the period that starts at 1,000. */
export function buildCharge(callId: string, changes: Partial<Charge> = {}): Charge {
  return {
    callId,
    teamId: 'team-1',
    keyHash: 'key-1',
    modelId: 'model-1',
    endpoint: 'chat',
    units: { inputText: 1 },
    cost: 10,
    outcome: 'completed',
    flag: null,
    reported: null,
    admittedAt: 2000,
    settledAt: 2500,
    durationMs: 500,
    periods: { team: 1000, key: 1000 },
    kind: 'call',
    facts: null,
    ...changes,
  }
}

/** A correction of the spend of `team-1`, in the period that starts at 1,000. */
export function buildAdjustment(adjustmentId: string, changes: Partial<Correction> = {}): Correction {
  return {
    team_id: 'team-1',
    adjustment_id: adjustmentId,
    kind: 'adjust',
    call_id: null,
    key_hash: null,
    model_id: null,
    amount_nano: 0,
    team_period: 1000,
    key_period: 1000,
    at: 3000,
    actor: 'admin',
    reason: 'counted twice',
    bulk_id: null,
    ...changes,
  }
}

export function buildGrant(adjustmentId: string, changes: Partial<AdjustmentsTable> = {}): AdjustmentsTable {
  return { ...buildAdjustment(adjustmentId), kind: 'grant', key_period: 0, ...changes }
}

/** The record of a call by a program that reports nothing about itself. */
export function buildCallFacts(changes: Partial<CallFacts> = {}): CallFacts {
  return {
    code: null,
    modelAsked: 'model-1',
    client: {
      sessionId: null,
      sessionSource: null,
      parentSession: null,
      tool: null,
      userAgent: null,
      address: '127.0.0.1',
    },
    firstByteMs: null,
    upstream: 'vendor',
    upstreamKey: null,
    texts: { prompts: ['AAAA'], results: [], answer: 'BBBB' },
    ...changes,
  }
}

/** A completed call of the same parties. */
export function buildCallRecord(callId: string, changes: Partial<CallRecord> = {}): CallRecord {
  return {
    ...buildCallFacts(),
    callId,
    teamId: 'team-1',
    keyHash: 'key-1',
    endpoint: 'chat',
    modelServed: 'model-1',
    outcome: 'completed',
    status: 200,
    refusal: null,
    units: {},
    cost: 0,
    flag: null,
    receivedAt: 2000,
    endedAt: 2500,
    durationMs: 500,
    count: 1,
    lastAt: 2000,
    ...changes,
  }
}

/** A stream of the same parties that has not reported anything. */
export function buildOpenStream(callId: string, changes: Partial<OpenedStream> = {}): OpenedStream {
  return {
    callId,
    teamId: 'team-1',
    keyHash: 'key-1',
    modelId: 'model-1',
    endpoint: 'chat',
    periods: { team: 1000, key: 1000 },
    admittedAt: 2000,
    reservedTokens: 0,
    facts: null,
    ...changes,
  }
}

/** Progress of such a stream: five nano-dollars so far. */
export function buildProgress(callId: string, changes: Partial<StreamProgress> = {}): StreamProgress {
  return {
    teamId: 'team-1',
    callId,
    units: { outputText: 5 },
    cost: 5,
    flag: null,
    reported: null,
    progressAt: 2600,
    ...changes,
  }
}

/** A video of 100 nano-dollars that the same parties have ordered and the upstream has not accepted yet. */
export function buildVideoTask(
  taskId: string,
  changes: Partial<Omit<ShownVideo, 'orderedBy'>> = {},
): ShownVideo {
  return {
    teamId: 'team-1',
    taskId,
    orderedBy: 'videos',
    keyHash: 'key-1',
    modelId: 'model-1',
    callId: `call-${taskId}`,
    cost: 100,
    periods: { team: 1000, key: 1000 },
    endpoint: 'videos',
    state: 'submitting',
    wish: { prompt: 'Waves', seconds: '8', size: '1280x720' },
    operation: null,
    upstreamKey: null,
    error: null,
    files: [],
    storedBytes: null,
    createdAt: 2000,
    completedAt: null,
    expiresAt: null,
    deadlineAt: 9000,
    dueAt: null,
    ...changes,
  }
}

/** The same, ordered on the pass-through. */
export function toRelayed(task: VideoTask): VideoTask {
  return { ...task, orderedBy: 'pass_through', wish: null }
}

/** A stream that reports this progress. */
export function serving(progress: ServedStream['progress'], stop = (): void => undefined): ServedStream {
  return { progress, stop }
}
