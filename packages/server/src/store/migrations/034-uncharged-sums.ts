// Creates the sums of what calls have used above their holds, by what the hold was worked out from.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('uncharged_sums')
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('model_id', 'text', column => column.notNull())
    .addColumn('endpoint', 'text', column => column.notNull())
    .addColumn('medium', 'text', column => column.notNull())
    .addColumn('uncharged_nano', 'bigint', column => column.notNull())
    .addColumn('open_nano', 'bigint', column => column.notNull())
    .addColumn('ratio', 'bigint', column => column.notNull())
    .addColumn('version', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('uncharged_sums_key', ['team_id', 'model_id', 'endpoint', 'medium'])
    .execute()
}
