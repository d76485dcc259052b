// Removes the rows of streams that have ended, with their charge or without one.
import type { Kysely } from 'kysely'
import { createHotStatement } from '../hot-statement.ts'
import type { Schema } from '../schema/schema.ts'

export async function dropStreams(
  db: Kysely<Schema>,
  rows: readonly { readonly team_id: string; readonly call_id: string }[],
): Promise<void> {
  for (const { team_id, call_id } of rows) await dropStream(db, 1, [team_id, call_id])
}

const dropStream = createHotStatement(db =>
  db.deleteFrom('open_streams').where('team_id', '=', '').where('call_id', '=', ''),
)
