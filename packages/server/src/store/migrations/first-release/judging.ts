// Judging: one table of everything that was done, in order, and one of what judges have not finished yet.
import type { Words } from './words.ts'

export const judging = ({ bytes }: Words): string[] => [
  `create table judging_records (
    seq bigint primary key,
    kind text not null,
    at bigint not null,
    actor text not null,
    body text not null,
    salt ${bytes} not null,
    commitment ${bytes} not null
  )`,
  `create table judging_drafts (
    judge_id text not null,
    team_id text not null,
    revision bigint not null,
    content text not null,
    device text,
    saved_at bigint,
    primary key (judge_id, team_id)
  )`,
]
