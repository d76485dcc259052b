// Reads calls in the order in which they came, without the parts that only their record shows; the ids of the newest calls; and calls by id.
import type { Kysely } from 'kysely'
import type { CallOutcome, CallTexts } from '../../ledger/call-record.ts'
import type { Schema } from '../schema/schema.ts'
import { behindAll, firstIdOf, fromRow, type StoredCall, selectInOrder } from './calls.ts'
import { readUnits } from './read-units.ts'

export type ReadCallsAfterInput = {
  readonly teamId: string
  /** Unix ms: received at or after, and before. */
  readonly from: number
  readonly until: number
  /** Only calls with a higher id: the last of the previous page. */
  readonly afterId: string | null
  readonly limit: number
}

/**
 * `select … from calls where team_id = ? and outcome not in ('refused', 'replayed') and call_id >= ? and call_id < ?
 * [and call_id > ?] order by call_id limit ?`. Ids begin with their time, so a range of time is a range of ids.
 */
export async function readCallsAfter(db: Kysely<Schema>, input: ReadCallsAfterInput) {
  let query = db
    .selectFrom('calls')
    .select(['call_id', 'key_hash', 'tool', 'session_id', 'parent_session', 'client_address', 'outcome'])
    .select(['received_at', 'ended_at', 'cost_nano', 'units', 'texts'])
    .where('team_id', '=', input.teamId)
    .where('outcome', 'not in', ['refused', 'replayed'])
    .where('call_id', '>=', firstIdOf(input.from))
    .where('call_id', '<', firstIdOf(input.until))
  if (input.afterId !== null) query = query.where('call_id', '>', input.afterId)
  const rows = await query.orderBy('call_id').limit(input.limit).execute()
  return rows.map(row => ({
    callId: row.call_id,
    keyHash: row.key_hash,
    tool: row.tool,
    sessionId: row.session_id,
    parentSession: row.parent_session,
    address: row.client_address,
    outcome: row.outcome as CallOutcome,
    receivedAt: row.received_at,
    endedAt: row.ended_at,
    cost: row.cost_nano,
    units: readUnits(row.units),
    texts: row.texts === null ? null : (JSON.parse(row.texts) as CallTexts),
  }))
}

/** `select call_id from calls [where team_id = ?] order by call_id desc limit ?`. */
export async function readNewestCallIds(
  db: Kysely<Schema>,
  { teamId, limit }: { readonly teamId: string | null; readonly limit: number },
): Promise<string[]> {
  const range = { teamId, lowest: '', end: behindAll }
  const rows = await selectInOrder(db, range).select('call_id').limit(limit).execute()
  return rows.map(({ call_id }) => call_id)
}

/** `select * from calls where call_id in (…)`, in any order. */
export async function readCallsById(
  db: Kysely<Schema>,
  { callIds }: { readonly callIds: readonly string[] },
): Promise<StoredCall[]> {
  if (callIds.length === 0) return []
  const rows = await db.selectFrom('calls').selectAll().where('call_id', 'in', callIds).execute()
  return rows.map(fromRow)
}
