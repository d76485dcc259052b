// Notices: announcements and who has read them, the questions of teams, and webhooks with their deliveries.

export const notices: readonly string[] = [
  `create table announcements (
    announcement_id text primary key,
    text text not null,
    link text,
    teams text,
    from_at bigint not null,
    until_at bigint,
    removed_at bigint,
    created_at bigint not null,
    created_by text not null,
    version bigint not null
  )`,
  'create index announcements_by_version on announcements (version)',
  `create table announcement_reads (
    announcement_id text not null,
    team_id text not null,
    member_id text not null,
    seen_at bigint not null,
    primary key (announcement_id, team_id, member_id)
  )`,
  `create table questions (
    question_id text primary key,
    team_id text not null,
    member_id text,
    text text not null,
    page text,
    call_id text,
    asked_at bigint not null,
    answer text,
    answered_at bigint,
    answered_by text,
    announcement_id text
  )`,
  'create index questions_by_answer on questions (answered_at, asked_at, question_id)',
  'create index questions_by_team on questions (team_id, asked_at, question_id)',
  `create table webhooks (
    webhook_id text primary key,
    url text not null,
    kind text not null,
    events text not null,
    secret text not null,
    created_at bigint not null,
    created_by text not null
  )`,
  `create table webhook_deliveries (
    webhook_id text not null,
    event_id text not null,
    event text not null,
    state text not null,
    attempts bigint not null,
    due_at bigint not null,
    last_error text,
    created_at bigint not null,
    ended_at bigint,
    primary key (webhook_id, event_id)
  )`,
  'create index webhook_deliveries_due on webhook_deliveries (state, due_at)',
  `create table noted_conditions (
    condition_id text primary key,
    since bigint not null,
    seen_at bigint not null,
    ended text
  )`,
]
