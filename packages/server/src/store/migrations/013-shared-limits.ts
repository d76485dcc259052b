// Makes room in PostgreSQL for the limits of several processes: what windows count, what was taken, and the functions around the decisions.
// SQLite has one process, which keeps its limits in memory.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import { announce1, limitsClock1, tidyLimits1 } from '../postgres/functions/announce-1.ts'
import type { Schema } from '../schema/schema.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  if (dialectOf(db as Kysely<Schema>) === 'sqlite') return
  // Half of each page is free and nothing is compressed or moved out: every admission updates rows in place (heap-only tuples).
  await sql`create table limit_states (
    team_id text not null,
    level text not null,
    counted_at bigint not null,
    requests bigint not null,
    tokens bigint not null,
    period_start bigint not null,
    taken_nano bigint not null,
    taken_slots bigint not null,
    request_ring bigint[] not null,
    token_ring bigint[] not null,
    primary key (team_id, level)
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`.execute(
    db,
  )
  await sql`alter table limit_states alter column request_ring set storage plain, alter column token_ring set storage plain`.execute(
    db,
  )
  // Not logged: a crash of the database, or a fail-over, empties it.
  await sql`create unlogged table limits_epoch (process_id text primary key, announced_at bigint not null)`.execute(
    db,
  )
  // A row lives as long as its call.
  await sql`alter table running_calls set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`.execute(
    db,
  )
  await sql`alter table totals set (fillfactor = 70)`.execute(db)
  for (const text of [limitsClock1, announce1, tidyLimits1]) await sql.raw(text).execute(db)
}
