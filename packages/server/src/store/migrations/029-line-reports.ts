// Makes room in PostgreSQL for what processes tell each other of their lines before scarce models.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  if (dialectOf(db as Kysely<Schema>) === 'sqlite') return
  // Not logged: four writes a second that nobody misses after a crash.
  await sql`create unlogged table line_reports (process_id text primary key, told_at bigint not null, report text not null)
    with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`.execute(
    db,
  )
}
