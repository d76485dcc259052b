// Makes room for what recorders say of themselves when they send.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('recorders')
    .addColumn('token_id', 'text', column => column.notNull())
    .addColumn('clone_id', 'text', column => column.notNull())
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('version', 'text', column => column.notNull())
    .addColumn('unsent', 'bigint', column => column.notNull())
    .addColumn('oldest_at', 'bigint')
    .addColumn('rejected', 'bigint', column => column.notNull())
    .addColumn('gone', 'text', column => column.notNull())
    .addColumn('seen_at', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('recorders_pk', ['token_id', 'clone_id'])
    .execute()
  await db.schema.createIndex('recorders_by_team').on('recorders').columns(['team_id']).execute()
}
