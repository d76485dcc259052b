// Reads the ledger's rows for an export: team by team in the order of their ids, with the refused calls in between where they are asked for.
import type { Kysely } from 'kysely'
import type { Units } from '../../ledger/price.ts'
import type { Schema } from '../schema/schema.ts'
import { readUnits } from './read-units.ts'

/** A charge, a refund, or (without units and cost) refusals. */
export type ExportedSpend = {
  readonly teamId: string
  readonly callId: string
  readonly keyHash: string
  readonly modelId: string | null
  readonly endpoint: string
  readonly outcome: string
  /** Of the error that refused. */
  readonly code: string | null
  readonly flag: string | null
  readonly units: Units
  /** Nano-dollars. */
  readonly cost: number
  /** More, or (negative) less, by later corrections of the call. */
  readonly corrected: number
  /** Used above the hold. */
  readonly uncharged: number
  /** Unix ms. */
  readonly admittedAt: number
  readonly settledAt: number
  readonly durationMs: number
  /** How many calls the row stands for. */
  readonly count: number
}

export type ReadSpendRowsInput = {
  readonly teamId: string
  /** Only rows with a higher id. */
  readonly afterId: string
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
  /** Where the next slice begins; null when this was the last. */
  readonly nextAfter: string | null
}

/** At most `limit` rows of each kind are looked at, and none beyond the last that both have been read up to. */
export async function readSpendRows(db: Kysely<Schema>, input: ReadSpendRowsInput): Promise<SpendRowsSlice> {
  const { modelId, keyHash, withRefused, limit } = input
  let query = db
    .selectFrom('charges')
    .selectAll()
    .where('team_id', '=', input.teamId)
    .where('call_id', '>', input.afterId)
    .where('call_id', '>=', input.fromId)
    .where('call_id', '<', input.endId)
  if (keyHash !== null) query = query.where('key_hash', '=', keyHash)
  if (modelId !== null) query = query.where('model_id', '=', modelId)
  const charges = await query.orderBy('call_id').limit(limit).execute()
  const corrected = await sumCorrections(
    db,
    input.teamId,
    charges.map(row => row.call_id),
  )
  const rows: ExportedSpend[] = charges.map(row => ({
    teamId: row.team_id,
    callId: row.call_id,
    keyHash: row.key_hash,
    modelId: row.model_id,
    endpoint: row.endpoint,
    outcome: row.outcome,
    code: null,
    flag: row.flag,
    units: readUnits(row.units),
    cost: row.cost_nano,
    corrected: corrected.get(row.call_id) ?? 0,
    uncharged: row.flag === 'usage_above_hold' ? readUncharged(row.reported) : 0,
    admittedAt: row.admitted_at,
    settledAt: row.settled_at,
    durationMs: row.duration_ms,
    count: 1,
  }))
  const nextAfter = rows.length < limit ? null : (rows.at(-1)?.callId ?? null)
  if (!withRefused) return { rows, nextAfter }
  let refusals = db
    .selectFrom('calls')
    .select(['team_id', 'call_id', 'key_hash', 'model_asked', 'endpoint', 'outcome', 'code'])
    .select(['received_at', 'ended_at', 'duration_ms', 'calls'])
    .where('team_id', '=', input.teamId)
    .where('call_id', '>', input.afterId)
    .where('call_id', '>=', input.fromId)
    .where('outcome', '=', 'refused')
  refusals =
    nextAfter === null
      ? refusals.where('call_id', '<', input.endId)
      : refusals.where('call_id', '<=', nextAfter)
  if (keyHash !== null) refusals = refusals.where('key_hash', '=', keyHash)
  if (modelId !== null) refusals = refusals.where('model_asked', '=', modelId)
  const refused = (await refusals.orderBy('call_id').limit(limit).execute()).map(
    (row): ExportedSpend => ({
      teamId: row.team_id,
      callId: row.call_id,
      keyHash: row.key_hash,
      modelId: row.model_asked,
      endpoint: row.endpoint,
      outcome: row.outcome,
      code: row.code,
      flag: null,
      units: {},
      cost: 0,
      corrected: 0,
      uncharged: 0,
      admittedAt: row.received_at,
      settledAt: row.ended_at,
      durationMs: row.duration_ms,
      count: row.calls,
    }),
  )
  const isCut = refused.length === limit
  const end = isCut ? (refused.at(-1)?.callId ?? null) : nextAfter
  const merged = [...rows.filter(row => end === null || row.callId <= end), ...refused]
  merged.sort((left, right) => (left.callId < right.callId ? -1 : 1))
  return { rows: merged, nextAfter: end }
}

/** As `meter` writes it; 0 for a report that is not believed, and for one that was cut because it was too long. */
function readUncharged(reported: string | null): number {
  const { uncharged_nano } = JSON.parse(reported ?? '{}') as { readonly uncharged_nano?: unknown }
  return typeof uncharged_nano === 'number' ? uncharged_nano : 0
}

/** By the call that was corrected. */
async function sumCorrections(
  db: Kysely<Schema>,
  teamId: string,
  callIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const [first, last] = [callIds.at(0), callIds.at(-1)]
  if (first === undefined || last === undefined) return new Map()
  // Few calls are corrected, and those of a slice stand together in the index of team and call.
  const rows = await db
    .selectFrom('adjustments')
    .select(({ fn }) => ['call_id', fn.sum<number>('amount_nano').as('amount')])
    .where('team_id', '=', teamId)
    .where('call_id', '>=', first)
    .where('call_id', '<=', last)
    .groupBy('call_id')
    .execute()
  return new Map(rows.map(({ call_id, amount }) => [call_id ?? '', Number(amount)]))
}
