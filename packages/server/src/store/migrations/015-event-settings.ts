// Makes room for the settings of the event: its row, its locks on every board, the mark of late entries, and the reasons in the audit.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Its only row comes with the first change: a backup is restored into tables that are empty.
  await db.schema
    .createTable('event_settings')
    .addColumn('id', 'integer', column => column.primaryKey())
    .addColumn('document', 'text', column => column.notNull())
    .addColumn('board_locks', 'text')
    .addColumn('version', 'bigint', column => column.notNull())
    .execute()
  await db.schema.alterTable('boards').addColumn('event_locks', 'text').execute()
  await db.schema.alterTable('boards').addColumn('opened_at', 'bigint').execute()
  await db.schema
    .alterTable('entries')
    .addColumn('late', 'integer', column => column.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('audit').addColumn('reason', 'text').execute()
}
