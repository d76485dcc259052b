// Makes room for links of walls, and for the notes of organisers and judges.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('wall_tokens')
    .addColumn('wall_token_id', 'text', column => column.primaryKey())
    .addColumn('token_hash', 'text', column => column.notNull().unique())
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('shows_budgets', 'integer', column => column.notNull())
    .addColumn('freeze_at', 'bigint')
    .addColumn('snapshot', 'text')
    .addColumn('frozen_at', 'bigint')
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('created_by', 'text', column => column.notNull())
    .execute()
  await db.schema
    .createTable('notes')
    .addColumn('note_id', 'text', column => column.primaryKey())
    .addColumn('subject', 'text', column => column.notNull())
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('subject_id', 'text', column => column.notNull())
    .addColumn('text', 'text', column => column.notNull())
    .addColumn('author', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('updated_at', 'bigint', column => column.notNull())
    .execute()
  await db.schema
    .createIndex('notes_by_subject')
    .on('notes')
    .columns(['team_id', 'subject', 'subject_id'])
    .execute()
}
