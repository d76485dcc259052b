// People: members of teams with the codes and tickets that give them their keys, admin keys, and sign-ins on pages.

export const people: readonly string[] = [
  `create table members (
    member_id text primary key,
    team_id text not null references teams (team_id),
    name text not null,
    name_key text not null,
    email text,
    claimed_at bigint,
    removed_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    created_by text not null,
    updated_by text not null,
    version bigint not null
  )`,
  'create index members_by_name on members (team_id, name_key)',
  'create index members_by_version on members (version)',
  `create table claims (
    claim_id text primary key,
    team_id text not null references teams (team_id),
    code_hash text not null unique,
    code_name text not null,
    seats bigint not null,
    seats_left bigint not null,
    uses bigint not null,
    last_used_at bigint,
    expires_at bigint not null,
    ended_at bigint,
    end_reason text,
    created_at bigint not null,
    created_by text not null
  )`,
  'create index claims_by_team on claims (team_id, created_at)',
  `create table join_tickets (
    ticket_hash text primary key,
    claim_id text not null references claims (claim_id),
    team_id text not null,
    member_id text,
    name text not null,
    salt text not null,
    laptop_hash text,
    created_at bigint not null,
    expires_at bigint not null,
    used_at bigint,
    key_hash text,
    signed_in_at bigint
  )`,
  'create index join_tickets_by_claim on join_tickets (claim_id, created_at)',
  `create table admin_keys (
    key_id text primary key,
    key_hash text not null unique,
    key_name text not null,
    name text not null,
    folded_name text not null unique,
    role text not null,
    blocked integer not null,
    created_at bigint not null,
    created_by text not null
  )`,
  `create table sign_ins (
    cookie_hash text primary key,
    door text not null,
    credential text not null,
    created_at bigint not null,
    expires_at bigint not null
  )`,
  'create index sign_ins_by_credential on sign_ins (door, credential)',
  'create index sign_ins_by_expiry on sign_ins (expires_at)',
  `create table sign_in_links (
    ticket_hash text primary key,
    door text not null,
    credential text not null,
    expires_at bigint not null
  )`,
]
