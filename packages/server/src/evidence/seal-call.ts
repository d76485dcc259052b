// The commitment of a call's record: it hides what the record says, and a proof made of it later still covers every member.
import { randomBytes } from 'node:crypto'
import type { CallRecord, CallTexts } from '../ledger/call-record.ts'
import { commitRecord, identifyRecord, saltBytes, sha256 } from './commit-record.ts'

export type CallSeal = {
  /** 16 random bytes: without them a short record could be guessed from its hash. */
  readonly salt: Uint8Array
  /** SHA-256(salt ‖ identity ‖ digest of the body), 32 bytes. */
  readonly commit: Uint8Array
  /** Of the digests of texts; null where there are none. */
  readonly textsSalt: Uint8Array | null
}

/** Makes the salts, and the commitment over them. */
export function sealCall(call: CallRecord): CallSeal {
  const random = randomBytes(call.texts === null ? saltBytes : 2 * saltBytes)
  const salt = random.subarray(0, saltBytes)
  const textsSalt = call.texts === null ? null : random.subarray(saltBytes)
  const textsHash = call.texts === null || textsSalt === null ? null : hashTexts(textsSalt, call.texts)
  return { salt, textsSalt, commit: commitCall(salt, call, textsHash) }
}

/**
 * SHA-256(salt ‖ SHA-256("call\n" + call id) ‖ SHA-256(body)). `textsHash`: it stands in the body for the digests, so that these
 * can be erased; null where the call had none.
 */
function commitCall(salt: Uint8Array, call: CallRecord, textsHash: string | null): Uint8Array {
  return commitRecord(salt, identifyRecord('call', call.callId), sha256(writeBody(call, textsHash)))
}

/** Lower-case hex of SHA-256(salt ‖ JSON of the digests). */
function hashTexts(salt: Uint8Array, { prompts, results, answer }: CallTexts): string {
  const hash = sha256(Buffer.concat([salt, Buffer.from(JSON.stringify({ answer, prompts, results }))]))
  return Buffer.from(hash).toString('hex')
}

/** True when the record still is what its commitment was made of. */
export function isSealed(call: CallRecord, seal: CallSeal): boolean {
  const { salt, textsSalt, commit } = seal
  const textsHash = call.texts === null || textsSalt === null ? null : hashTexts(textsSalt, call.texts)
  return Buffer.from(commitCall(salt, call, textsHash)).equals(commit)
}

/**
 * The record as canonical JSON (RFC 8785): members in the order of their names, no white space. A body is never changed: other
 * members get another `v`, and this one stays for the records that were made with it.
 */
export function writeBody(call: CallRecord, textsHash: string | null): string {
  const { client, refusal, units } = call
  return JSON.stringify({
    call_id: call.callId,
    calls: call.count,
    client: {
      address: client.address,
      parent_session: client.parentSession,
      session_id: client.sessionId,
      session_source: client.sessionSource,
      tool: client.tool,
      user_agent: client.userAgent,
    },
    code: call.code,
    cost_nano: call.cost,
    duration_ms: call.durationMs,
    ended_at: call.endedAt,
    endpoint: call.endpoint,
    first_byte_ms: call.firstByteMs,
    flag: call.flag,
    key_hash: call.keyHash,
    last_at: call.lastAt,
    model_asked: call.modelAsked,
    model_served: call.modelServed,
    outcome: call.outcome,
    received_at: call.receivedAt,
    refusal:
      refusal === null
        ? null
        : {
            held: refusal.held,
            level: refusal.level,
            limit: refusal.limit,
            reset: refusal.reset,
            used: refusal.used,
          },
    status: call.status,
    team_id: call.teamId,
    texts: textsHash,
    units: sortMembers(units),
    upstream: call.upstream,
    upstream_key: call.upstreamKey,
    v: 1,
  })
}

function sortMembers<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  const sorted: Record<string, Value> = {}
  for (const name of Object.keys(record).sort()) {
    const value = record[name]
    if (value !== undefined) sorted[name] = value
  }
  return sorted
}
