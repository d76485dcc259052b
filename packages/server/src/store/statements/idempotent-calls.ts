// Stores calls made with an Idempotency-Key: claimed before the call is made, answered after its charge is on disk.
import type { Kysely } from 'kysely'
import { refundOf } from '../../ledger/refund.ts'
import type { Schema } from '../schema/schema.ts'
import { declaredDead, type ProcessRef } from './processes.ts'

export type IdempotentCall = {
  readonly teamId: string
  readonly keyHash: string
  readonly idempotencyKey: string
  /** The route's own path, regardless of the spelling that was called. */
  readonly route: string
  /** Lower-case hex SHA-256 of the request. */
  readonly bodyDigest: string
  /** The call that holds the key: its charge, if there is one, has this id. */
  readonly callId: string
}

const noReply = { status: null, reply_bytes: 0, headers: null, body: null }

type CallPlace = Pick<IdempotentCall, 'teamId' | 'keyHash' | 'idempotencyKey' | 'callId'>

export type ClaimInput = {
  readonly call: IdempotentCall
  /** A call without an answer and with a refunded charge: it no longer holds the key. Usually null. */
  readonly refundedCallId: string | null
  /** The process that makes the call. */
  readonly processId: ProcessRef['processId']
  /** Unix ms. */
  readonly now: number
  readonly expiresAt: number
}

export type ClaimOutcome =
  | { readonly kind: 'claimed' }
  /** The call that holds the key has not ended, or its process has died and the call has not been ended yet. */
  | { readonly kind: 'running' }
  /** The key belongs to another path or body. */
  | { readonly kind: 'conflict' }
  /** The answer of this call can be repeated. */
  | { readonly kind: 'answered'; readonly callId: string }
  /** Charged, but its process died before the answer was on record: the client cannot have received all of it. */
  | { readonly kind: 'unanswered'; readonly callId: string }
  /** Charged, and no answer was kept. */
  | { readonly kind: 'lost' }

/**
 * `insert … on conflict do nothing`; if the key is known, its row decides. A row without an answer and without a
 * running call was left by a crash or a failure: free again unless it was charged.
 */
export async function claimIdempotentCall(db: Kysely<Schema>, input: ClaimInput): Promise<ClaimOutcome> {
  const { call, refundedCallId, processId, now, expiresAt } = input
  await db
    .deleteFrom('idempotent_calls')
    .where(row => row.and(nameRow(call)))
    .where('expires_at', '<=', now)
    .execute()
  const inserted = await db
    .insertInto('idempotent_calls')
    .values({
      ...nameCall(call),
      ...noReply,
      route: call.route,
      body_digest: call.bodyDigest,
      process_id: processId,
      created_at: now,
      expires_at: expiresAt,
    })
    .onConflict(conflict => conflict.doNothing())
    .returning('call_id')
    .execute()
  if (inserted.length > 0) return { kind: 'claimed' }
  const known = await db
    .selectFrom('idempotent_calls')
    .select(['route', 'body_digest', 'call_id', 'status', 'process_id'])
    .where(row => row.and(nameRow(call)))
    .executeTakeFirst()
  // Its call has ended and released the key in between: the next attempt gets it.
  if (known === undefined) return { kind: 'running' }
  if (known.route !== call.route || known.body_digest !== call.bodyDigest) return { kind: 'conflict' }
  if (known.status !== null) return { kind: 'answered', callId: known.call_id }
  const holder = { ...call, callId: known.call_id }
  if (await isRunning(db, holder)) return { kind: 'running' }
  if (known.call_id !== refundedCallId && (await isCharged(db, call.teamId, known.call_id))) {
    const isUnanswered = known.process_id !== null && (await isCompleted(db, call.teamId, known.call_id))
    return isUnanswered ? { kind: 'unanswered', callId: known.call_id } : { kind: 'lost' }
  }
  const taken = await db
    .updateTable('idempotent_calls')
    .where(row => row.and(nameCall(holder)))
    .where('status', 'is', null)
    .set({ call_id: call.callId, process_id: processId, created_at: now, expires_at: expiresAt })
    .executeTakeFirst()
  // Another process may have taken it over in between.
  return { kind: taken.numUpdatedRows === 1n ? 'claimed' : 'running' }
}

/**
 * A call counts as running while its process lives, until its end is on record. If its process has died, it may still be charged as long as
 * its running call is not swept.
 */
async function isRunning(db: Kysely<Schema>, call: CallPlace): Promise<boolean> {
  const living = await db
    .selectFrom('idempotent_calls')
    .innerJoin('processes', 'processes.process_id', 'idempotent_calls.process_id')
    .select('processes.process_id')
    .where(row => row.and(nameCall(call)))
    .where('lease_until', '!=', declaredDead)
    .execute()
  if (living.length > 0) return true
  const unswept = await db
    .selectFrom('running_calls')
    .select('call_id')
    .where('team_id', '=', call.teamId)
    .where('call_id', '=', call.callId)
    .execute()
  return unswept.length > 0
}

export type StoredReply = {
  readonly status: number
  /** JSON object: name → value. */
  readonly headers: string
  readonly body: Uint8Array
}

export type EndCallInput = {
  readonly call: CallPlace
  /** Null for an answer that will not be kept. */
  readonly reply: StoredReply | null
  /** False while charges wait to be written: a call without a charge may then still get one. */
  readonly mayForget: boolean
}

/**
 * A charged call keeps its key, with its answer; an uncharged one releases it. False if that cannot be decided yet: the call then still
 * counts as running.
 */
export async function endIdempotentCall(
  db: Kysely<Schema>,
  { call, reply, mayForget }: EndCallInput,
): Promise<boolean> {
  if (await isCharged(db, call.teamId, call.callId)) {
    await db
      .updateTable('idempotent_calls')
      .where(row => row.and(nameCall(call)))
      .set({ ...(reply === null ? {} : { ...reply, reply_bytes: reply.body.byteLength }), process_id: null })
      .execute()
    return true
  }
  if (!mayForget) return false
  await db
    .deleteFrom('idempotent_calls')
    .where(row => row.and(nameCall(call)))
    .execute()
  return true
}

/** A failure that cost nothing is no charge, nor is a refunded order; a success that cost nothing is one. */
async function isCharged(db: Kysely<Schema>, teamId: string, callId: string): Promise<boolean> {
  const charges = await db
    .selectFrom('charges')
    .select(['cost_nano', 'outcome'])
    .where('team_id', '=', teamId)
    .where('call_id', 'in', [callId, refundOf(callId)])
    .execute()
  return (
    charges.some(({ outcome, cost_nano }) => outcome === 'completed' || cost_nano > 0) &&
    charges.every(({ outcome }) => outcome !== 'refunded')
  )
}

/** False for a stream that its client has partly received. */
async function isCompleted(db: Kysely<Schema>, teamId: string, callId: string): Promise<boolean> {
  const charge = await db
    .selectFrom('charges')
    .select('outcome')
    .where('team_id', '=', teamId)
    .where('call_id', '=', callId)
    .executeTakeFirst()
  return charge?.outcome === 'completed'
}

/** Null if the row has expired in between. */
export async function readIdempotentReply(db: Kysely<Schema>, call: CallPlace): Promise<StoredReply | null> {
  const row = await db
    .selectFrom('idempotent_calls')
    .where(row => row.and(nameCall(call)))
    .select(['status', 'headers', 'body'])
    .executeTakeFirst()
  if (row === undefined || row.status === null || row.headers === null || row.body === null) return null
  return { status: row.status, headers: row.headers, body: row.body }
}

/** Small batches, because each row can hold a large answer and charges wait for the same writer. */
export async function deleteExpiredCalls(
  db: Kysely<Schema>,
  input: { now: number; limit: number },
): Promise<{ deleted: number }> {
  const expired = await db
    .selectFrom('idempotent_calls')
    .select(['team_id', 'key_hash', 'idempotency_key'])
    .where('expires_at', '<=', input.now)
    .orderBy('expires_at')
    .limit(input.limit)
    .execute()
  for (const { team_id, key_hash, idempotency_key } of expired) {
    await db
      .deleteFrom('idempotent_calls')
      .where(row => row.and({ team_id, key_hash, idempotency_key }))
      .execute()
  }
  return { deleted: expired.length }
}

/** Teams with answers of more than `above` bytes: `select team_id, sum(reply_bytes) … group by team_id`. */
export async function sumReplyBytes(
  db: Kysely<Schema>,
  input: { above: number },
): Promise<{ teamId: string; bytes: number }[]> {
  return await db
    .selectFrom('idempotent_calls')
    .select(row => ['team_id as teamId', row.fn.sum<number>('reply_bytes').as('bytes')])
    .groupBy('team_id')
    .having(row => row.fn.sum<number>('reply_bytes'), '>', input.above)
    .execute()
}

/** Drops answers, oldest first, until `bytes` are freed or `limit` are dropped; their calls stay known as charged. */
export async function dropOldestReplies(
  db: Kysely<Schema>,
  input: { teamId: string; bytes: number; limit: number },
): Promise<{ freed: number }> {
  const oldest = await db
    .selectFrom('idempotent_calls')
    .select(['team_id', 'key_hash', 'idempotency_key', 'reply_bytes'])
    .where('team_id', '=', input.teamId)
    .where('reply_bytes', '>', 0)
    .orderBy('created_at')
    .limit(input.limit)
    .execute()
  let freed = 0
  for (const { team_id, key_hash, idempotency_key, reply_bytes } of oldest) {
    if (freed >= input.bytes) break
    await db
      .updateTable('idempotent_calls')
      .where(row => row.and({ team_id, key_hash, idempotency_key }))
      .set(noReply)
      .execute()
    freed += reply_bytes
  }
  return { freed }
}

/** The columns that identify a row. */
function nameRow({ teamId, keyHash, idempotencyKey }: Omit<CallPlace, 'callId'>) {
  return { team_id: teamId, key_hash: keyHash, idempotency_key: idempotencyKey }
}

function nameCall(call: CallPlace) {
  return { ...nameRow(call), call_id: call.callId }
}
