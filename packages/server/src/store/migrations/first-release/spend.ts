// Sums of five minutes that reports are read from, and the triggers that update them in the transaction of each row (decision 026).
import type { DialectName } from '../../dialect.ts'
import { bucketMs } from '../../schema/spend.ts'
import type { Words } from './words.ts'

const key = 'bucket_start, team_id, key_hash, model_id, code, writer'
const columns = `${key}, calls, cost_nano`
const add = `on conflict (${key}) do update set calls = spend_buckets.calls + excluded.calls,
  cost_nano = spend_buckets.cost_nano + excluded.cost_nano`

/** Model names from clients are arbitrary texts, unless a limit has refused: then the catalog knew the name. */
const refusedModel = `case when new.code in ('rpm_exceeded', 'tpm_exceeded', 'parallel_exceeded',
  'budget_exceeded', 'budget_held') then coalesce(new.model_asked, '') else '' end`

export const spend = ({ dialect }: Words): string[] => [
  `create table spend_buckets (
    bucket_start bigint not null,
    team_id text not null,
    key_hash text not null,
    model_id text not null,
    code text not null,
    writer bigint not null,
    calls bigint not null,
    cost_nano bigint not null,
    primary key (${key})
  ) ${dialect === 'sqlite' ? 'without rowid' : 'with (fillfactor = 60)'}`,
  // For reads about one team. It gets an entry for each new bucket, none for each charge.
  'create index spend_buckets_by_team on spend_buckets (team_id, bucket_start)',
  ...(dialect === 'sqlite' ? [countRefusals] : postgresTriggers),
]

/** Unix ms of the bucket that a call belongs to: its id begins with its time (UUID version 7). `fallback` for any other id. */
function bucketOf(dialect: DialectName, id: string, fallback: string): string {
  const digits = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13]
  const time =
    dialect === 'sqlite'
      ? digits
          .map(
            (at, index) => `(instr('0123456789abcdef', substr(${id}, ${at}, 1)) - 1) * ${16 ** (11 - index)}`,
          )
          .join(' + ')
      : `('x' || substr(${id}, 1, 8) || substr(${id}, 10, 4))::bit(48)::bigint`
  const hex = '[0-9a-f]'
  const isTimed =
    dialect === 'sqlite'
      ? `${id} glob '${hex.repeat(8)}-${hex.repeat(4)}-*'`
      : `${id} ~ '^${hex}{8}-${hex}{4}-'`
  return `(case when ${isTimed} then ${time} else ${fallback} end) / ${bucketMs} * ${bucketMs}`
}

/** SQLite's one writer counts charges itself, which takes a seventh of a trigger's time. */
const countRefusals = `create trigger refusals_counted after insert on calls when new.outcome = 'refused' begin
  insert into spend_buckets (${columns}) values (${bucketOf('sqlite', 'new.call_id', 'new.received_at')}, new.team_id,
    new.key_hash, ${refusedModel}, coalesce(new.code, 'refused'), 0, new.calls, 0) ${add};
end`

/** A copy of a whole database has its own sums, and sets this. */
const isCopying = `current_setting('fairgate.copying', true) = 'on'`

/**
 * Triggers, because another version that runs at the same time writes charges with its own statements. Each connection writes its own rows,
 * so that processes never wait for each other's commits.
 */
const postgresTriggers: readonly string[] = [
  `create or replace function count_charges_1() returns trigger language plpgsql as $function$
    begin
      if ${isCopying} then return null; end if;
      insert into spend_buckets (${columns})
        select ${bucketOf('postgres', 'c.call_id', 'c.admitted_at')} as bucket, c.team_id, c.key_hash, c.model_id, '',
            pg_backend_pid(), count(*) filter (where c.outcome <> 'refunded'), sum(c.cost_nano)
          from added c group by bucket, c.team_id, c.key_hash, c.model_id
        ${add};
      return null;
    end $function$`,
  `create trigger charges_counted after insert on charges referencing new table as added
    for each statement execute function count_charges_1()`,
  `create or replace function count_refusal_1() returns trigger language plpgsql as $function$
    begin
      if ${isCopying} then return null; end if;
      insert into spend_buckets (${columns}) values (${bucketOf('postgres', 'new.call_id', 'new.received_at')}, new.team_id,
        new.key_hash, ${refusedModel}, coalesce(new.code, 'refused'), pg_backend_pid(), new.calls, 0) ${add};
      return null;
    end $function$`,
  `create trigger refusals_counted after insert on calls for each row when (new.outcome = 'refused')
    execute function count_refusal_1()`,
]
