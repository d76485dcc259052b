// Reads the ledger's rows for an export: team by team in the order of their ids, each charge followed by its corrections, and the refused calls in
// between if requested.
import type { Kysely } from 'kysely'
import type { Units } from '../../ledger/price.ts'
import type { AdjustmentsTable } from '../schema/ledger.ts'
import type { Schema } from '../schema/schema.ts'
import { readUnits } from './read-units.ts'

/** A charge, a refund, a correction of the charge before it (without units), or refusals (without units and cost). */
export type ExportedSpend = {
  readonly teamId: string
  readonly callId: string
  /** Null for a row that is not a correction by an organiser. */
  readonly adjustmentId: string | null
  readonly reason: string | null
  readonly keyHash: string
  readonly modelId: string | null
  readonly endpoint: string
  readonly outcome: string
  /** The error code of the refusal. */
  readonly code: string | null
  readonly flag: string | null
  readonly units: Units
  /** Nano-dollars. */
  readonly cost: number
  /** The use above the hold. */
  readonly uncharged: number
  /** Unix ms. */
  readonly admittedAt: number
  readonly settledAt: number
  readonly durationMs: number
  /** How many calls the row represents. */
  readonly count: number
}

export type ReadSpendRowsInput = {
  readonly teamId: string
  readonly after: SpendPlace
  /** Ids at or after, and before. */
  readonly fromId: string
  readonly endId: string
  readonly keyHash: string | null
  readonly modelId: string | null
  readonly withRefused: boolean
  readonly limit: number
}

export type SpendRowsSlice = {
  readonly rows: readonly ExportedSpend[]
  /** The start of the next slice; null if this was the last. */
  readonly nextAfter: SpendPlace | null
}

/** After a row of the call: '' its charge, or one of its corrections. Null: after all rows of the call. */
export type SpendPlace = { readonly callId: string; readonly adjustmentId: string | null }

/** At most `limit` rows of each kind are looked at, and none beyond the last that both have been read up to. */
export async function readSpendRows(db: Kysely<Schema>, input: ReadSpendRowsInput): Promise<SpendRowsSlice> {
  const { modelId, keyHash, withRefused, limit, after } = input
  let query = db
    .selectFrom('charges')
    .selectAll()
    .where('team_id', '=', input.teamId)
    .where('call_id', after.adjustmentId === null ? '>' : '>=', after.callId)
    .where('call_id', '>=', input.fromId)
    .where('call_id', '<', input.endId)
  if (keyHash !== null) query = query.where('key_hash', '=', keyHash)
  if (modelId !== null) query = query.where('model_id', '=', modelId)
  const charges = await query.orderBy('call_id').limit(limit).execute()
  const corrections = await readCorrections(
    db,
    input.teamId,
    charges.map(row => row.call_id),
  )
  const charged = charges.map(
    (row): ExportedSpend => ({
      teamId: row.team_id,
      callId: row.call_id,
      ...noCorrection,
      keyHash: row.key_hash,
      modelId: row.model_id,
      endpoint: row.endpoint,
      outcome: row.outcome,
      code: null,
      flag: row.flag,
      units: readUnits(row.units),
      cost: row.cost_nano,
      uncharged: row.flag === 'usage_above_hold' ? readUncharged(row.reported) : 0,
      admittedAt: row.admitted_at,
      settledAt: row.settled_at,
      durationMs: row.duration_ms,
      count: 1,
    }),
  )
  const rows = charged
    .flatMap(charge => [charge, ...(corrections.get(charge.callId) ?? []).map(row => correct(charge, row))])
    .filter(row => isBehind(row, after))
  const lastId = charges.length < limit ? null : (charges.at(-1)?.call_id ?? null)
  const nextAfter = lastId === null ? null : { callId: lastId, adjustmentId: null }
  if (!withRefused) return { rows, nextAfter }
  let refusals = db
    .selectFrom('calls')
    .select(['team_id', 'call_id', 'key_hash', 'model_asked', 'endpoint', 'outcome', 'code'])
    .select(['received_at', 'ended_at', 'duration_ms', 'calls'])
    .where('team_id', '=', input.teamId)
    .where('call_id', '>', after.callId)
    .where('call_id', '>=', input.fromId)
    .where('outcome', '=', 'refused')
  refusals =
    lastId === null ? refusals.where('call_id', '<', input.endId) : refusals.where('call_id', '<=', lastId)
  if (keyHash !== null) refusals = refusals.where('key_hash', '=', keyHash)
  if (modelId !== null) refusals = refusals.where('model_asked', '=', modelId)
  const refused = (await refusals.orderBy('call_id').limit(limit).execute()).map(
    (row): ExportedSpend => ({
      teamId: row.team_id,
      callId: row.call_id,
      ...noCorrection,
      ...noCharge,
      keyHash: row.key_hash,
      modelId: row.model_asked,
      endpoint: row.endpoint,
      outcome: row.outcome,
      code: row.code,
      admittedAt: row.received_at,
      settledAt: row.ended_at,
      durationMs: row.duration_ms,
      count: row.calls,
    }),
  )
  const isCut = refused.length === limit
  const endId = isCut ? (refused.at(-1)?.callId ?? null) : lastId
  const merged = [...rows.filter(row => endId === null || row.callId <= endId), ...refused]
  merged.sort((left, right) => (left.callId === right.callId ? 0 : left.callId < right.callId ? -1 : 1))
  return { rows: merged, nextAfter: endId === null ? null : { callId: endId, adjustmentId: null } }
}

const noCorrection = { adjustmentId: null, reason: null }
const noCharge = { flag: null, units: {}, cost: 0, uncharged: 0 }

function isBehind({ callId, adjustmentId }: ExportedSpend, after: SpendPlace): boolean {
  return callId !== after.callId || (adjustmentId ?? '') > (after.adjustmentId ?? '')
}

function correct(charge: ExportedSpend, row: CorrectionRow): ExportedSpend {
  return {
    ...charge,
    adjustmentId: row.adjustment_id,
    reason: row.reason,
    outcome: row.kind === 'refund' ? 'refunded' : 'adjusted',
    ...noCharge,
    cost: row.amount_nano,
    settledAt: row.at,
    durationMs: 0,
    count: 0,
  }
}

/** As written by `meter`; 0 for a report that is not credible, and for one that was cut because it was too long. */
function readUncharged(reported: string | null): number {
  const { uncharged_nano } = JSON.parse(reported ?? '{}') as { readonly uncharged_nano?: unknown }
  return typeof uncharged_nano === 'number' ? uncharged_nano : 0
}

type CorrectionRow = Pick<AdjustmentsTable, 'adjustment_id' | 'kind' | 'amount_nano' | 'reason' | 'at'>

/** By the call that was corrected, in the order of their ids. */
async function readCorrections(
  db: Kysely<Schema>,
  teamId: string,
  callIds: readonly string[],
): Promise<ReadonlyMap<string, readonly CorrectionRow[]>> {
  const [first, last] = [callIds.at(0), callIds.at(-1)]
  if (first === undefined || last === undefined) return new Map()
  // Few calls are corrected, and those of a slice are together in the index of team and call.
  const rows = await db
    .selectFrom('adjustments')
    .select(['call_id', 'adjustment_id', 'kind', 'amount_nano', 'reason', 'at'])
    .where('team_id', '=', teamId)
    .where('call_id', '>=', first)
    .where('call_id', '<=', last)
    .execute()
  // Sorted here: a database may have another order of texts than JavaScript, which compares places.
  rows.sort((left, right) => (left.adjustment_id < right.adjustment_id ? -1 : 1))
  return Map.groupBy(rows, ({ call_id }) => call_id ?? '')
}
