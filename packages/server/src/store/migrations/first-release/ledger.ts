// The ledger: charges, corrections, totals and running calls, keyed by team first so that they can be distributed by team.
import type { Words } from './words.ts'

export const ledger = ({ storage }: Words): string[] => [
  `create table charges (
    team_id text not null,
    call_id text not null,
    key_hash text not null,
    model_id text not null,
    endpoint text not null,
    units text not null,
    cost_nano bigint not null,
    outcome text not null,
    flag text,
    admitted_at bigint not null,
    settled_at bigint not null,
    duration_ms bigint not null,
    reported text,
    primary key (team_id, call_id)
  )`,
  `create table adjustments (
    team_id text not null,
    adjustment_id text not null,
    kind text not null,
    call_id text,
    key_hash text,
    model_id text,
    amount_nano bigint not null,
    team_period bigint not null,
    key_period bigint not null,
    at bigint not null,
    actor text not null,
    reason text not null,
    bulk_id text,
    primary key (team_id, adjustment_id)
  )`,
  'create index adjustments_of_call on adjustments (team_id, call_id)',
  `create table totals (
    team_id text not null,
    owner text not null,
    slot integer not null,
    period_start bigint not null,
    spent_nano bigint not null,
    lifetime_nano bigint not null,
    returned_nano bigint not null default 0,
    returned_slots bigint not null default 0,
    version bigint not null,
    primary key (team_id, owner, slot)
  ) ${storage('fillfactor = 70')}`,
  // A row lives as long as its call. No index by process: each call would pay for it, and only a sweep of a dead process reads by it.
  `create table running_calls (
    team_id text not null,
    call_id text not null,
    process_id text not null,
    kind text not null,
    key_hash text not null,
    model_id text,
    endpoint text,
    admitted_at bigint not null,
    team_period bigint not null,
    key_period bigint not null,
    amount_nano bigint not null,
    reserved_tokens bigint not null,
    units text,
    cost_nano bigint not null default 0,
    flag text,
    reported text,
    progress_at bigint,
    facts text,
    event_nano bigint not null,
    primary key (team_id, call_id)
  ) ${storage('autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000')}`,
  `create table undelivered_answers (
    team_id text not null,
    call_id text not null,
    at bigint not null,
    primary key (team_id, call_id)
  )`,
  `create table uncharged_sums (
    team_id text not null,
    model_id text not null,
    endpoint text not null,
    medium text not null,
    uncharged_nano bigint not null,
    open_nano bigint not null,
    ratio bigint not null,
    version bigint not null,
    primary key (team_id, model_id, endpoint, medium)
  )`,
]
