// Makes room for since when each condition lasts, so that all processes say the same, also after a restart.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('condition_starts')
    .addColumn('condition_id', 'text', column => column.primaryKey())
    .addColumn('since', 'bigint', column => column.notNull())
    .execute()
}
