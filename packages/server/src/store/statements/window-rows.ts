// Writes down what windows hold, beside the charges of the same moment, and reads it again.
import type { Kysely } from 'kysely'
import { createHotStatement } from '../hot-statement.ts'
import type { Schema } from '../schema/schema.ts'
import type { WindowRowsTable } from '../schema/window-rows.ts'

export type WindowRowsChange = {
  readonly row: WindowRowsTable | null
  /** Rows that are replaced or too old, by their sequence, both ends included. */
  readonly drop: readonly { readonly from: number; readonly through: number }[]
}

/** `insert into window_rows … on conflict (sequence) do update`: repeating an ambiguous commit is harmless. */
export async function changeWindowRows(db: Kysely<Schema>, { row, drop }: WindowRowsChange): Promise<void> {
  if (row !== null) await upsertRow(db, 1, [row.sequence, row.written_at, row.wall_at, row.changes])
  for (const { from, through } of drop) await dropRows(db, 1, [from, through])
}

const upsertRow = createHotStatement(db =>
  db
    .insertInto('window_rows')
    .values({ sequence: 0, written_at: 0, wall_at: 0, changes: '' })
    .onConflict(conflict =>
      conflict.column('sequence').doUpdateSet(row => ({
        written_at: row.ref('excluded.written_at'),
        wall_at: row.ref('excluded.wall_at'),
        changes: row.ref('excluded.changes'),
      })),
    ),
)

const dropRows = createHotStatement(db =>
  db.deleteFrom('window_rows').where('sequence', '>=', 0).where('sequence', '<=', 0),
)

/** `select … from window_rows order by sequence`: a minute's rows. */
export async function readWindowRows(db: Kysely<Schema>): Promise<WindowRowsTable[]> {
  const rows = await db.selectFrom('window_rows').selectAll().orderBy('sequence').execute()
  return rows.map(row => ({
    sequence: Number(row.sequence),
    written_at: Number(row.written_at),
    wall_at: Number(row.wall_at),
    changes: row.changes,
  }))
}

export type RecentCharge = {
  readonly team_id: string
  readonly key_hash: string
  readonly model_id: string
  /** JSON: unit → count. */
  readonly units: string
  readonly admitted_at: number
}

/**
 * Charges of calls that were admitted after `since` (Unix ms): `select … from teams join charges … where call_id >= ?`. Call ids begin with
 * the time, so each team's part of the primary key is read from its end.
 */
export async function readRecentCharges(
  db: Kysely<Schema>,
  input: { readonly since: number; readonly firstCallId: string },
): Promise<RecentCharge[]> {
  const rows = await db
    .selectFrom('teams')
    .innerJoin('charges', 'charges.team_id', 'teams.team_id')
    .select([
      'charges.team_id',
      'charges.key_hash',
      'charges.model_id',
      'charges.units',
      'charges.admitted_at',
    ])
    .where('charges.call_id', '>=', input.firstCallId)
    .where('charges.admitted_at', '>', input.since)
    .where('charges.outcome', '!=', 'refunded')
    .execute()
  return rows.map(row => ({ ...row, admitted_at: Number(row.admitted_at) }))
}
