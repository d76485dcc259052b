// Adds the corrections that were made before to the sums that reports are read from: they had the charges alone.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'
import { bucketOf } from './016-spend-buckets.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  const bucket = bucketOf(dialectOf(db as Kysely<Schema>), 'a.call_id', 'a.at')
  await sql
    .raw(`insert into spend_buckets (bucket_start, team_id, key_hash, model_id, code, writer, calls, cost_nano)
      select ${bucket} as bucket, a.team_id, a.key_hash, a.model_id, '', 0, 0, sum(a.amount_nano) from adjustments a
        where a.kind <> 'grant' and a.call_id is not null and a.key_hash is not null and a.model_id is not null
        group by bucket, a.team_id, a.key_hash, a.model_id
      on conflict (bucket_start, team_id, key_hash, model_id, code, writer)
        do update set cost_nano = spend_buckets.cost_nano + excluded.cost_nano`)
    .execute(db)
}
