// Judging: one table of everything that was done, in order.
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
]
