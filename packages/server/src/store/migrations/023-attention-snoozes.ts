// Makes room for what organisers have put off.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('attention_snoozes')
    .addColumn('condition_id', 'text', column => column.primaryKey())
    .addColumn('until', 'bigint', column => column.notNull())
    .addColumn('actor', 'text', column => column.notNull())
    .addColumn('reason', 'text', column => column.notNull())
    .execute()
}
