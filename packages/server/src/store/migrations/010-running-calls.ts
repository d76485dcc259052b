// Makes room for several processes on one database: who they are, what each of them is doing, and totals that each writes in a row of its own.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('processes')
    .addColumn('process_id', 'text', column => column.primaryKey())
    .addColumn('slot', 'integer', column => column.notNull().unique())
    .addColumn('lease_until', 'bigint', column => column.notNull())
    .addColumn('started_at', 'bigint', column => column.notNull())
    .addColumn('version', 'text', column => column.notNull())
    .addColumn('address', 'text')
    .addColumn('directory_version', 'bigint', column => column.notNull().defaultTo(0))
    .addColumn('catalog_hash', 'text')
    .execute()
  await db.schema
    .createTable('running_calls')
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('call_id', 'text', column => column.notNull())
    .addColumn('process_id', 'text', column => column.notNull())
    .addColumn('kind', 'text', column => column.notNull())
    .addColumn('key_hash', 'text', column => column.notNull())
    .addColumn('model_id', 'text')
    .addColumn('endpoint', 'text')
    .addColumn('admitted_at', 'bigint', column => column.notNull())
    .addColumn('team_period', 'bigint', column => column.notNull())
    .addColumn('key_period', 'bigint', column => column.notNull())
    .addColumn('amount_nano', 'bigint', column => column.notNull())
    .addColumn('reserved_tokens', 'bigint', column => column.notNull())
    .addColumn('units', 'text')
    .addColumn('cost_nano', 'bigint', column => column.notNull().defaultTo(0))
    .addColumn('flag', 'text')
    .addColumn('reported', 'text')
    .addColumn('progress_at', 'bigint')
    .addColumn('facts', 'text')
    .addPrimaryKeyConstraint('running_calls_pk', ['team_id', 'call_id'])
    .execute()
  await db.schema.createIndex('running_calls_of_process').on('running_calls').column('process_id').execute()
  await divideTotals(db)
}

/** SQLite cannot change a primary key, so both engines get a new table under the old name. */
async function divideTotals(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('divided_totals')
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('owner', 'text', column => column.notNull())
    .addColumn('slot', 'integer', column => column.notNull().defaultTo(0))
    .addColumn('period_start', 'bigint', column => column.notNull())
    .addColumn('spent_nano', 'bigint', column => column.notNull())
    .addColumn('lifetime_nano', 'bigint', column => column.notNull())
    .addColumn('returned_nano', 'bigint', column => column.notNull().defaultTo(0))
    .addColumn('returned_slots', 'bigint', column => column.notNull().defaultTo(0))
    .addColumn('version', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('divided_totals_pk', ['team_id', 'owner', 'slot'])
    .execute()
  await sql`insert into divided_totals (team_id, owner, slot, period_start, spent_nano, lifetime_nano, version)
    select team_id, owner, 0, period_start, spent_nano, lifetime_nano, version from totals`.execute(db)
  await db.schema.dropTable('totals').execute()
  await db.schema.alterTable('divided_totals').renameTo('totals').execute()
}
