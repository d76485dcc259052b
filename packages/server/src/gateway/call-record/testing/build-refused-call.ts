// Builds a refused call for tests.
import type { CallRecord } from '../../../ledger/call-record.ts'

/** Refused by the rate of its key, from a program that does not identify itself. */
export function buildRefusedCall(callId: string, changes: Partial<CallRecord> = {}): CallRecord {
  return {
    callId,
    teamId: 'team-1',
    keyHash: 'key-1',
    endpoint: 'chat',
    modelAsked: 'model-1',
    modelServed: null,
    outcome: 'refused',
    code: 'rpm_exceeded',
    status: 429,
    refusal: null,
    units: {},
    cost: 0,
    flag: null,
    receivedAt: 1000,
    endedAt: 1001,
    durationMs: 1,
    firstByteMs: null,
    upstream: null,
    upstreamKey: null,
    client: {
      sessionId: null,
      sessionSource: null,
      parentSession: null,
      tool: null,
      userAgent: null,
      address: null,
    },
    texts: null,
    count: 1,
    lastAt: 1000,
    ...changes,
  }
}
