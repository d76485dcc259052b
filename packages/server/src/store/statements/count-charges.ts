// Adds charges and their corrections to the sums of five minutes that spend reports are read from, in the transaction that writes them.
import { type Kysely, sql } from 'kysely'
import type { Charge } from '../../ledger/charge.ts'
import { createHotInsert } from '../hot-statement.ts'
import type { AdjustmentsTable } from '../schema/ledger.ts'
import type { Schema } from '../schema/schema.ts'
import { bucketMs, type SpendBucketsTable } from '../schema/spend.ts'

/** Adds the charges of calls to the rows of their keys and models. */
export async function countCharges(
  db: Kysely<Schema>,
  charges: readonly Pick<
    Charge,
    'callId' | 'teamId' | 'keyHash' | 'modelId' | 'outcome' | 'cost' | 'admittedAt'
  >[],
): Promise<void> {
  const rows = new Map<string, SpendBucketsTable>()
  for (const { callId, teamId, keyHash, modelId, outcome, cost, admittedAt } of charges) {
    const bucket_start = Math.floor(readCallTime(callId, admittedAt) / bucketMs) * bucketMs
    const name = [bucket_start, teamId, keyHash, modelId].join('\0')
    // A refund takes money back; the call that it belongs to was already counted.
    const calls = outcome === 'refunded' ? 0 : 1
    const known = rows.get(name)
    if (known === undefined)
      rows.set(name, {
        ...{ bucket_start, team_id: teamId, key_hash: keyHash, model_id: modelId },
        ...{ code: '', writer: 0, calls, cost_nano: cost },
      })
    else {
      known.calls += calls
      known.cost_nano += cost
    }
  }
  await addToBuckets(db, [...rows.values()])
}

/** Adds the correction of a call to the row of its key and model, next to its charge. One without a call belongs to no row. */
export async function countCorrection(db: Kysely<Schema>, correction: AdjustmentsTable): Promise<void> {
  const { team_id, call_id, key_hash, model_id, amount_nano, at } = correction
  if (call_id === null || key_hash === null || model_id === null) return
  const bucket_start = Math.floor(readCallTime(call_id, at) / bucketMs) * bucketMs
  const row = { bucket_start, team_id, key_hash, model_id, code: '', writer: 0, calls: 0 }
  await addToBuckets(db, [{ ...row, cost_nano: amount_nano }])
}

/** Unix ms at the start of a call's id (UUID version 7); `fallback` for an id of another form. */
function readCallTime(callId: string, fallback: number): number {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-/.test(callId)
    ? Number.parseInt(callId.slice(0, 8) + callId.slice(9, 13), 16)
    : fallback
}

const addToBuckets = createHotInsert<SpendBucketsTable>((db, rows) =>
  db
    .insertInto('spend_buckets')
    .values(rows)
    .onConflict(conflict =>
      conflict.columns(['bucket_start', 'team_id', 'key_hash', 'model_id', 'code', 'writer']).doUpdateSet({
        calls: sql<number>`spend_buckets.calls + excluded.calls`,
        cost_nano: sql<number>`spend_buckets.cost_nano + excluded.cost_nano`,
      }),
    ),
)
