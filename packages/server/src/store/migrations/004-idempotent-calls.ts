// Creates the memory of idempotent calls, keyed by team first so that it can be distributed by team.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  const bytes = dialectOf(db) === 'postgres' ? sql`bytea` : sql`blob`
  // `body` stands last: what else is asked of a row is read without it.
  await db.schema
    .createTable('idempotent_calls')
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('key_hash', 'text', column => column.notNull())
    .addColumn('idempotency_key', 'text', column => column.notNull())
    .addColumn('route', 'text', column => column.notNull())
    .addColumn('body_digest', 'text', column => column.notNull())
    .addColumn('call_id', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('expires_at', 'bigint', column => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('reply_bytes', 'integer', column => column.notNull())
    .addColumn('headers', 'text')
    .addColumn('body', bytes)
    .addPrimaryKeyConstraint('idempotent_calls_pk', ['team_id', 'key_hash', 'idempotency_key'])
    .execute()
  const indexes: Record<string, string[]> = {
    idempotent_calls_by_expiry: ['expires_at'],
    idempotent_calls_by_age: ['team_id', 'created_at', 'reply_bytes'],
  }
  for (const [name, columns] of Object.entries(indexes)) {
    await db.schema.createIndex(name).on('idempotent_calls').columns(columns).execute()
  }
}
