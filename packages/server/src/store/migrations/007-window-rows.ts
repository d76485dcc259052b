// Creates the rows that request and token windows are restored from, and what an open stream has reserved of the latter.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('window_rows')
    .addColumn('sequence', 'bigint', column => column.primaryKey())
    .addColumn('written_at', 'bigint', column => column.notNull())
    .addColumn('wall_at', 'bigint', column => column.notNull())
    .addColumn('changes', 'text', column => column.notNull())
    .execute()
  await db.schema
    .alterTable('open_streams')
    .addColumn('reserved_tokens', 'bigint', column => column.notNull().defaultTo(0))
    .execute()
}
