// The logbook: boards, their entries and the recorders that send them, keyed by team first so that they can be distributed by team.
import type { Words } from './words.ts'

export const logbook = ({ bytes, dialect, storage }: Words): string[] => [
  `create table boards (
    team_id text primary key,
    locked integer not null,
    lock_at bigint,
    head_seq bigint not null,
    head_chain text not null,
    updated_at bigint not null,
    head_received_micros bigint not null,
    event_locks text,
    opened_at bigint
  )`,
  // `body` is last: a page is bounded by `body_bytes` without reading a body.
  `create table entries (
    team_id text not null,
    seq bigint not null,
    ts_micros bigint not null,
    received_micros bigint not null,
    tool_key text not null,
    event_key text not null,
    identity text not null,
    chain text not null,
    body_bytes integer not null,
    token_id text not null,
    client_address text,
    salt ${bytes},
    commitment ${bytes},
    late integer not null,
    body text not null,
    primary key (team_id, seq),
    unique (team_id, identity)
  )`,
  ...indexesOfEntries(),
  `create table entry_buckets (
    bucket_start bigint not null,
    team_id text not null,
    entries bigint not null,
    primary key (bucket_start, team_id)
  ) ${dialect === 'sqlite' ? 'without rowid' : storage('fillfactor = 60')}`,
  `create table recorders (
    token_id text not null,
    clone_id text not null,
    team_id text not null,
    version text not null,
    unsent bigint not null,
    oldest_at bigint,
    rejected bigint not null,
    gone text not null,
    seen_at bigint not null,
    clock_behind_ms bigint,
    primary key (token_id, clone_id)
  )`,
  'create index recorders_by_team on recorders (team_id)',
]

/**
 * One index for each filter, ending in the order of a page, so that its cost does not grow with the table. Entries that date themselves
 * later than their receipt have indexes of their own, so that pages find both kinds in their order: such an entry is in eight, any other in four.
 */
function indexesOfEntries(): string[] {
  const filters = { time: '', tool: 'tool_key, ', event: 'event_key, ', tool_event: 'tool_key, event_key, ' }
  return Object.entries(filters).flatMap(([filter, columns]) => [
    `create index entries_in_${filter} on entries (team_id, ${columns}ts_micros, seq) where ts_micros <= received_micros`,
    `create index entries_ahead_in_${filter} on entries (team_id, ${columns}ts_micros, seq) where ts_micros > received_micros`,
    `create index entries_ahead_received_in_${filter} on entries (team_id, ${columns}received_micros, seq) where ts_micros > received_micros`,
  ])
}
