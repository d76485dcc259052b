// Keeps the rows of streams being served, so that a crash charges each at its last progress.
import type { Kysely } from 'kysely'
import { createHotInsert, createHotStatement } from '../hot-statement.ts'
import type { OpenStreamsTable } from '../schema/ledger.ts'
import type { Schema } from '../schema/schema.ts'
import { type ChargeRow, settleCharges } from './charges.ts'

/** `insert into open_streams … on conflict do nothing`: repeating an ambiguous commit is harmless. */
export const openStreams = createHotInsert<OpenStreamsTable>(
  {
    call_id: '',
    team_id: '',
    key_hash: '',
    model_id: '',
    endpoint: '',
    team_period: 0,
    key_period: 0,
    admitted_at: 0,
    reserved_tokens: 0,
    units: '',
    cost_nano: 0,
    flag: '',
    reported: '',
    progress_at: 0,
  },
  (db, rows) =>
    db
      .insertInto('open_streams')
      .values(rows)
      .onConflict(conflict => conflict.doNothing()),
)

export type StreamProgress = {
  team_id: string
  call_id: string
  units: string
  cost_nano: number
  flag: string | null
  reported: string | null
  progress_at: number
}

/** `update open_streams set units, cost_nano, flag, reported, progress_at`: one statement per stream, one commit for all. */
export async function recordProgress(db: Kysely<Schema>, rows: readonly StreamProgress[]): Promise<void> {
  for (const { units, cost_nano, flag, reported, progress_at, team_id, call_id } of rows) {
    await updateProgress(db, 1, [units, cost_nano, flag, reported, progress_at, team_id, call_id])
  }
}

const updateProgress = createHotStatement(db =>
  db
    .updateTable('open_streams')
    .set({ units: '', cost_nano: 0, flag: '', reported: '', progress_at: 0 })
    .where('team_id', '=', '')
    .where('call_id', '=', ''),
)

export type OpenStream = Pick<
  OpenStreamsTable,
  'team_id' | 'key_hash' | 'model_id' | 'units' | 'reserved_tokens'
>

/** Streams that a crash left open: what they have used, before they are charged. */
export async function readOpenStreams(db: Kysely<Schema>): Promise<OpenStream[]> {
  const rows = await db
    .selectFrom('open_streams')
    .select(['team_id', 'key_hash', 'model_id', 'units', 'reserved_tokens'])
    .execute()
  return rows.map(row => ({ ...row, reserved_tokens: Number(row.reserved_tokens) }))
}

/** After a crash: charges every stream left open at its last progress, outcome `interrupted`, and removes its row. */
export async function chargeInterruptedStreams(
  db: Kysely<Schema>,
  input: { now: number },
): Promise<{ charged: number }> {
  const rows = await db.selectFrom('open_streams').selectAll().execute()
  const charges = rows.map(
    (row): ChargeRow => ({
      call_id: row.call_id,
      team_id: row.team_id,
      key_hash: row.key_hash,
      model_id: row.model_id,
      endpoint: row.endpoint,
      units: row.units,
      cost_nano: Number(row.cost_nano),
      outcome: 'interrupted',
      flag: row.flag,
      reported: row.reported,
      admitted_at: Number(row.admitted_at),
      settled_at: input.now,
      duration_ms: Math.max(0, Number(row.progress_at) - Number(row.admitted_at)),
      team_period: Number(row.team_period),
      key_period: Number(row.key_period),
      closes_stream: true,
    }),
  )
  if (charges.length > 0) await settleCharges(db, charges)
  return { charged: charges.length }
}
