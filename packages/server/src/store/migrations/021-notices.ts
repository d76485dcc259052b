// Makes room for announcements, and for webhooks with what they still have to tell.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('announcements')
    .addColumn('announcement_id', 'text', column => column.primaryKey())
    .addColumn('text', 'text', column => column.notNull())
    .addColumn('link', 'text')
    .addColumn('teams', 'text')
    .addColumn('from_at', 'bigint', column => column.notNull())
    .addColumn('until_at', 'bigint')
    .addColumn('removed_at', 'bigint')
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('created_by', 'text', column => column.notNull())
    .addColumn('version', 'bigint', column => column.notNull())
    .execute()
  await db.schema.createIndex('announcements_by_version').on('announcements').column('version').execute()
  await db.schema
    .createTable('webhooks')
    .addColumn('webhook_id', 'text', column => column.primaryKey())
    .addColumn('url', 'text', column => column.notNull())
    .addColumn('kind', 'text', column => column.notNull())
    .addColumn('events', 'text', column => column.notNull())
    .addColumn('secret', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('created_by', 'text', column => column.notNull())
    .execute()
  await db.schema
    .createTable('webhook_deliveries')
    .addColumn('webhook_id', 'text', column => column.notNull())
    .addColumn('event_id', 'text', column => column.notNull())
    .addColumn('event', 'text', column => column.notNull())
    .addColumn('state', 'text', column => column.notNull())
    .addColumn('attempts', 'bigint', column => column.notNull())
    .addColumn('due_at', 'bigint', column => column.notNull())
    .addColumn('last_error', 'text')
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('ended_at', 'bigint')
    .addPrimaryKeyConstraint('webhook_deliveries_key', ['webhook_id', 'event_id'])
    .execute()
  await db.schema
    .createIndex('webhook_deliveries_due')
    .on('webhook_deliveries')
    .columns(['state', 'due_at'])
    .execute()
  await db.schema
    .createTable('noted_conditions')
    .addColumn('condition_id', 'text', column => column.primaryKey())
    .addColumn('since', 'bigint', column => column.notNull())
    .addColumn('seen_at', 'bigint', column => column.notNull())
    .execute()
}
