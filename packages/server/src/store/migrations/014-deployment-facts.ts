// Makes room for what the processes of one database must have in common, and for the row that PostgreSQL is tried with.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('deployment_facts')
    .addColumn('name', 'text', column => column.primaryKey())
    .addColumn('value', 'text', column => column.notNull())
    .addColumn('seen_at', 'bigint', column => column.notNull())
    .execute()
  // The process that holds the lock of the database has made it before; without the lock nobody has.
  if (dialectOf(db) === 'postgres')
    await sql`create table if not exists process_epoch (id integer primary key, epoch bigint not null)`.execute(
      db,
    )
}
