// Seals a call's record with a commitment that hides its contents, while a later proof still covers every member.
import type { CallRecord, CallTexts } from '../ledger/call-record.ts'
import { commitRecord, hashBytes, identifyRecord, saltBytes, sha256 } from './commit-record.ts'

export type CallSeal = {
  /** 16 random bytes: without them a short record could be guessed from its hash. */
  readonly salt: Uint8Array
  /** SHA-256(salt ‖ identity ‖ digest of the body), 32 bytes. */
  readonly commit: Uint8Array
  /** Salt of the text digests, erased together with them; null if there are none. */
  readonly textsSalt: Uint8Array | null
  /** Replaces the digests in the body, 32 bytes. It stays when they and their salt are erased, and reveals nothing about them then. */
  readonly textsHash: Uint8Array | null
}

/** Creates the salts and the commitment over them. */
export function sealCall(call: CallRecord): CallSeal {
  // Takes a tenth of the time of `randomBytes` of node:crypto.
  const random = crypto.getRandomValues(new Uint8Array(call.texts === null ? saltBytes : 2 * saltBytes))
  const salt = random.subarray(0, saltBytes)
  const textsSalt = call.texts === null ? null : random.subarray(saltBytes)
  const textsHash = call.texts === null || textsSalt === null ? null : hashTexts(textsSalt, call.texts)
  return { salt, textsSalt, textsHash, commit: commitCall(salt, call, textsHash) }
}

/**
 * SHA-256(salt ‖ SHA-256("call
 * " + call id) ‖ SHA-256(body)). `textsHash` replaces the digests in the body, so that they can be erased; null if the call had none.
 */
function commitCall(salt: Uint8Array, call: CallRecord, textsHash: Uint8Array | null): Uint8Array {
  const hex = textsHash === null ? null : textsHash.toHex()
  return commitRecord(salt, identifyRecord('call', call.callId), sha256(writeBody(call, hex)))
}

/** SHA-256(salt ‖ JSON of the digests). */
function hashTexts(salt: Uint8Array, { prompts, results, answer }: CallTexts): Uint8Array {
  const hash = new Uint8Array(hashBytes)
  new Bun.SHA256().update(salt).update(JSON.stringify({ answer, prompts, results })).digest(hash)
  return hash
}

/** True if the record still matches its commitment. Its digests may have been erased. */
export function isSealed(call: CallRecord, { salt, textsSalt, textsHash, commit }: CallSeal): boolean {
  return areTextsSealed(call.texts, textsSalt, textsHash) && isSame(commitCall(salt, call, textsHash), commit)
}

function areTextsSealed(texts: CallTexts | null, salt: Uint8Array | null, hash: Uint8Array | null): boolean {
  if (texts === null) return true
  return salt !== null && hash !== null && isSame(hashTexts(salt, texts), hash)
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.from(left).equals(right)
}

/**
 * The record as canonical JSON (RFC 8785): members sorted by name, no white space. The format of a body never changes: other members get
 * another `v`, and this one stays for the records made with it. `textsHash`: lower-case hex.
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
