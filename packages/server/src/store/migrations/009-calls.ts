// Creates the record of calls, keyed by team first so that it can be distributed by team, and keeps with an open stream what its record needs.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isSqlite = dialectOf(db as Kysely<Schema>) === 'sqlite'
  const bytes = isSqlite ? 'blob' : 'bytea'
  await db.schema
    .createTable('calls')
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('call_id', 'text', column => column.notNull())
    .addColumn('key_hash', 'text', column => column.notNull())
    .addColumn('endpoint', 'text', column => column.notNull())
    .addColumn('model_asked', 'text')
    .addColumn('model_served', 'text')
    .addColumn('outcome', 'text', column => column.notNull())
    .addColumn('code', 'text')
    .addColumn('status', 'integer')
    .addColumn('refusal', 'text')
    .addColumn('units', 'text', column => column.notNull())
    .addColumn('cost_nano', 'bigint', column => column.notNull())
    .addColumn('flag', 'text')
    .addColumn('received_at', 'bigint', column => column.notNull())
    .addColumn('ended_at', 'bigint', column => column.notNull())
    .addColumn('duration_ms', 'bigint', column => column.notNull())
    .addColumn('first_byte_ms', 'bigint')
    .addColumn('upstream', 'text')
    .addColumn('upstream_key', 'text')
    .addColumn('session_id', 'text')
    .addColumn('session_source', 'text')
    .addColumn('parent_session', 'text')
    .addColumn('tool', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('client_address', 'text')
    .addColumn('calls', 'bigint', column => column.notNull())
    .addColumn('last_at', 'bigint', column => column.notNull())
    .addColumn('texts', 'text')
    .addColumn('texts_salt', sql.raw(bytes))
    .addColumn('texts_hash', sql.raw(bytes))
    .addColumn('salt', sql.raw(bytes), column => column.notNull())
    .addColumn('commit_hash', sql.raw(bytes), column => column.notNull())
    .addPrimaryKeyConstraint('calls_pk', ['team_id', 'call_id'])
    .execute()
  // For the list over all teams and for deleting what is too old.
  await db.schema.createIndex('calls_by_id').on('calls').columns(['call_id']).execute()
  await db.schema.alterTable('open_streams').addColumn('facts', 'text').execute()
}
