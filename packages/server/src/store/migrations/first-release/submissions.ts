// What teams hand in: every version stays.
import type { Words } from './words.ts'

export const submissions = ({ bytes }: Words): string[] => [
  // `body` is last: lists of versions are read from the index alone.
  `create table submissions (
    team_id text not null,
    version bigint not null,
    received_micros bigint not null,
    due_at bigint,
    key_hash text not null,
    member_id text,
    salt ${bytes} not null,
    commitment ${bytes} not null,
    body text not null,
    primary key (team_id, version)
  )`,
  'create index submissions_heads on submissions (team_id, version, received_micros, due_at, member_id)',
]
