// Converts a recorded call to what its team sees and to what organisers see.
import type { CallItem, OrganiserCallItem } from '@fairgate/contracts/calls/call.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { Key } from '../directory/types.ts'
import { isSealed } from '../evidence/seal-call.ts'
import { countTokens } from '../ledger/count-tokens.ts'
import { nanoDollars, toUsdNumber } from '../ledger/money.ts'
import type { CallCorrection } from '../store/statements/adjustments.ts'
import type { StoredCall } from '../store/statements/calls.ts'
import { explainCall } from './explain-call.ts'

/**
 * `key`: its current or former name; undefined if nothing is known about it. `corrections`: those of this call, oldest first. The upstream
 * that served the call, and the key used for it, are hidden from the team.
 */
export function writeCall(
  call: StoredCall,
  key: Pick<Key, 'keyName' | 'alias'> | undefined,
  corrections: readonly CallCorrection[],
): CallItem {
  const { client, units } = call
  const { input, output } = countTokens(units)
  return {
    call_id: call.callId,
    team_id: call.teamId,
    key: call.keyHash,
    key_name: key?.keyName ?? null,
    key_alias: key?.alias ?? null,
    endpoint: call.endpoint,
    model_asked: call.modelAsked,
    model_served: call.modelServed,
    outcome: call.outcome,
    code: call.code,
    status: call.status,
    refusal: call.refusal,
    explanation: explainCall(call),
    units,
    input_tokens: input,
    output_tokens: output,
    cost_nano: call.cost,
    cost: toUsdNumber(nanoDollars(call.cost)),
    corrections: corrections.map(({ adjustmentId, kind, amount, at, reason }) => ({
      adjustment_id: adjustmentId,
      kind,
      amount_nano: amount,
      amount: amount / 1e9,
      at: isoTime(at),
      reason,
    })),
    left_nano: corrections.reduce((sum, { amount }) => sum + amount, call.cost),
    flag: call.flag,
    received_at: isoTime(call.receivedAt),
    ended_at: isoTime(call.endedAt),
    duration_ms: call.durationMs,
    first_byte_ms: call.firstByteMs,
    session: { id: client.sessionId, source: client.sessionSource, parent: client.parentSession },
    tool: client.tool,
    user_agent: client.userAgent,
    client_address: client.address,
    count: call.count,
    last_at: isoTime(call.lastAt),
  }
}

export function writeCallForOrganisers(
  call: StoredCall,
  key: Pick<Key, 'keyName' | 'alias'> | undefined,
  corrections: readonly CallCorrection[],
): OrganiserCallItem {
  return {
    ...writeCall(call, key, corrections),
    upstream: call.upstream,
    upstream_key: call.upstreamKey,
    has_digests: call.texts !== null,
    salt: Buffer.from(call.salt).toString('base64'),
    commitment: Buffer.from(call.commit).toString('base64'),
    is_sealed: isSealed(call, call),
  }
}
