// Operation: processes and the facts that they must share, conditions for organisers, wall links, and notes.
import type { Words } from './words.ts'

export const operation = ({ dialect }: Words): string[] => [
  `create table processes (
    process_id text primary key,
    slot integer not null unique,
    lease_until bigint not null,
    started_at bigint not null,
    version text not null,
    address text,
    directory_version bigint not null default 0,
    catalog_hash text
  )`,
  // PostgreSQL is tested with its row. The process that holds the database lock has already created the table.
  ...(dialect === 'postgres'
    ? ['create table if not exists process_epoch (id integer primary key, epoch bigint not null)']
    : []),
  `create table deployment_facts (
    name text primary key,
    value text not null,
    seen_at bigint not null
  )`,
  `create table attention_snoozes (
    condition_id text primary key,
    until bigint not null,
    actor text not null,
    reason text not null
  )`,
  `create table condition_starts (
    condition_id text primary key,
    since bigint not null
  )`,
  `create table wall_tokens (
    wall_token_id text primary key,
    token_hash text not null unique,
    name text not null,
    shows_budgets integer not null,
    freeze_at bigint,
    snapshot text,
    frozen_at bigint,
    created_at bigint not null,
    created_by text not null
  )`,
  `create table notes (
    note_id text primary key,
    subject text not null,
    team_id text not null,
    subject_id text not null,
    text text not null,
    author text not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create index notes_by_subject on notes (team_id, subject, subject_id)',
]
