// The directory: teams, gateway keys and log tokens, the settings of the event, and the audit of every change to them.
import type { Words } from './words.ts'

/** Limits that teams and keys share. */
const ownerColumns = `
    models text not null,
    blocked integer,
    max_budget_nano bigint,
    budget_duration text,
    budget_anchor bigint not null,
    rpm_limit bigint,
    tpm_limit bigint,
    metadata text not null,
    informational text not null,
    created_at bigint not null,
    updated_at bigint not null,
    created_by text not null,
    updated_by text not null,
    version bigint not null`

export const directory = ({ rowNumber }: Words): string[] => [
  `create table teams (
    team_id text primary key,
    alias text not null, ${ownerColumns},
    granted_nano bigint not null,
    granted_period bigint,
    hidden_at bigint
  )`,
  'create index teams_by_version on teams (version)',
  `create table gateway_keys (
    key_hash text primary key,
    key_name text not null,
    alias text not null,
    team_id text not null references teams (team_id),
    user_id text not null,
    aliases text not null,
    model_max_budget text not null,
    max_parallel_requests integer not null,
    expires_at bigint,
    allowed_routes text not null, ${ownerColumns},
    member_id text,
    rotation text
  )`,
  'create index gateway_keys_by_version on gateway_keys (version)',
  `create table deleted_keys (
    key_hash text primary key,
    key_name text not null,
    alias text not null,
    team_id text not null,
    user_id text not null,
    member_id text,
    deleted_at bigint not null,
    deleted_by text not null,
    version bigint not null
  )`,
  'create index deleted_keys_by_version on deleted_keys (version)',
  `create table log_tokens (
    token_hash text primary key,
    token_id text not null unique,
    token_name text not null,
    team_id text not null references teams (team_id),
    revoked_at bigint,
    created_at bigint not null,
    created_by text not null,
    version bigint not null,
    member_id text
  )`,
  'create index log_tokens_by_version on log_tokens (version)',
  // Its only row comes with the first change, because a backup is restored into empty tables.
  `create table directory_version (
    id integer primary key,
    version bigint not null,
    catalog_version bigint not null
  )`,
  `create table directory_deletions (
    version bigint not null,
    key_hash text not null,
    primary key (version, key_hash)
  )`,
  // The same applies to this one.
  `create table event_settings (
    id integer primary key,
    document text not null,
    board_locks text,
    version bigint not null
  )`,
  `create table audit (
    id ${rowNumber},
    at bigint not null,
    actor text not null,
    action text not null,
    team_id text not null,
    target text not null,
    before text,
    after text,
    reason text,
    bulk_id text
  )`,
  'create index audit_by_team on audit (team_id, id)',
  'create index audit_by_bulk on audit (bulk_id, id) where bulk_id is not null',
]
