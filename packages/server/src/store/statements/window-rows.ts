// Stores the state of the windows, together with the charges of the same moment, and reads it again.
import type { Kysely } from 'kysely'
import type { Charge } from '../../ledger/charge.ts'
import { createHotStatement } from '../hot-statement.ts'
import type { Schema } from '../schema/schema.ts'
import { readUnits } from './read-units.ts'

/** The windows' counts since the previous row. */
export type WindowRow = {
  /** Ascends with every row. */
  readonly sequence: number
  /** Unix ms by the clock of the windows, which does not jump when the system clock is set. */
  readonly writtenAt: number
  /** Unix ms: the time of day at that moment. */
  readonly wallAt: number
  /** JSON, in the form of limits/windows/window-contents.ts. */
  readonly changes: string
}

export type WindowRowsChange = {
  readonly row: WindowRow | null
  /** Rows that are replaced or too old, by their sequence, both ends included. */
  readonly drop: readonly { readonly from: number; readonly through: number }[]
}

/** `insert into window_rows … on conflict (sequence) do update`: repeating an ambiguous commit is harmless. */
export async function changeWindowRows(db: Kysely<Schema>, { row, drop }: WindowRowsChange): Promise<void> {
  if (row !== null) await upsertRow(db, 1, [row.sequence, row.writtenAt, row.wallAt, row.changes])
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
export async function readWindowRows(db: Kysely<Schema>): Promise<WindowRow[]> {
  return await db
    .selectFrom('window_rows')
    .select(['sequence', 'written_at as writtenAt', 'wall_at as wallAt', 'changes'])
    .orderBy('sequence')
    .execute()
}

export type RecentCharge = Pick<Charge, 'teamId' | 'keyHash' | 'modelId' | 'units' | 'admittedAt'>

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
      'charges.team_id as teamId',
      'charges.key_hash as keyHash',
      'charges.model_id as modelId',
      'charges.units',
      'charges.admitted_at as admittedAt',
    ])
    .where('charges.call_id', '>=', input.firstCallId)
    .where('charges.admitted_at', '>', input.since)
    .where('charges.outcome', '!=', 'refunded')
    .execute()
  return rows.map(row => ({ ...row, units: readUnits(row.units) }))
}
