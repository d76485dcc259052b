// Reads which calls came last, and calls by their ids whosever they are.
import type { Kysely } from 'kysely'
import type { Schema } from '../schema/schema.ts'
import { behindAll, fromRow, type StoredCall, selectInOrder } from './calls.ts'

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
