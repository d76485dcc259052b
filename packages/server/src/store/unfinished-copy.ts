// Keeps everybody but `fairgate database copy` off a database that such a copy has not finished.
import { type Kysely, sql } from 'kysely'

/** Only a database that a data folder was copied into has this table: one row, which says how far the copy has come. */
export const copyTable = 'database_copy'

/** Throws an Error that says what to do. `tables`: the names of all tables of the database. */
export async function refuseUnfinishedCopy<Tables>(
  db: Kysely<Tables>,
  tables: readonly string[],
): Promise<void> {
  if (!tables.includes(copyTable)) return
  const { rows } = await sql<{
    source_path: string
  }>`select source_path from ${sql.table(copyTable)} where finished_at is null`.execute(db)
  const [unfinished] = rows
  if (unfinished === undefined) return
  throw new Error(
    `The database holds an unfinished copy of ${unfinished.source_path}. Finish it with "fairgate database copy".`,
  )
}
