// Limits: the rows that windows are restored from. On PostgreSQL, also the state that processes share, with the functions that decide.
import { admit2 } from '../../postgres/functions/admit-2.ts'
import { announce1, limitsClock1, tidyLimits1 } from '../../postgres/functions/announce-1.ts'
import { settle2, settledCall1 } from '../../postgres/functions/settle-2.ts'
import type { Words } from './words.ts'

export const limits = ({ dialect }: Words): string[] => [
  `create table window_rows (
    sequence bigint primary key,
    written_at bigint not null,
    wall_at bigint not null,
    changes text not null
  )`,
  ...(dialect === 'postgres' ? sharedLimits : []),
]

/** SQLite has one process, which keeps its limits in memory. The functions name the ledger's tables, so they come after it. */
const sharedLimits: readonly string[] = [
  // Half of each page is free and nothing is compressed or moved out: every admission updates rows in place (heap-only tuples).
  `create table limit_states (
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
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
  'alter table limit_states alter column request_ring set storage plain, alter column token_ring set storage plain',
  // Not logged: a crash of the database, or a fail-over, empties it.
  'create unlogged table limits_epoch (process_id text primary key, announced_at bigint not null)',
  // The processes' reports of their queues for scarce models. Not logged: four writes a second that no one misses after a crash.
  `create unlogged table line_reports (
    process_id text primary key,
    told_at bigint not null,
    report text not null
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`,
  limitsClock1,
  announce1,
  tidyLimits1,
  admit2,
  settledCall1,
  settle2,
]
