// The database's time: the one clock that all processes of an installation share.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'

/** Microseconds since the Unix epoch; the current time, not the start of the transaction. SQLite has milliseconds. */
export async function readDatabaseClock(db: Kysely<Schema>): Promise<number> {
  const query =
    dialectOf(db) === 'postgres'
      ? sql<{
          now: number | string
        }>`select floor(extract(epoch from clock_timestamp()) * 1000000)::bigint as now`
      : sql<{ now: number | string }>`select cast(round(unixepoch('subsec') * 1000) as integer) * 1000 as now`
  const { rows } = await query.execute(db)
  const now = Number(rows[0]?.now)
  if (!Number.isSafeInteger(now)) throw new Error('The database did not return the time.')
  return now
}
