// Takes the trigger that counted charges away from SQLite: its one writer counts them itself, with a seventh of the time (decision 026).
// The sums that it kept go on. On PostgreSQL it stays, for processes of an earlier version that run beside this one.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  if (dialectOf(db as Kysely<Schema>) === 'sqlite') await sql`drop trigger charges_counted`.execute(db)
}
