// Numbers the changes of the directory, so that several processes can follow it and no change overwrites another.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['teams', 'gateway_keys', 'log_tokens', 'boards']) {
    await db.schema
      .alterTable(table)
      .addColumn('version', 'bigint', column => column.notNull().defaultTo(0))
      .execute()
  }
  for (const table of ['teams', 'gateway_keys', 'log_tokens'])
    await db.schema.createIndex(`${table}_by_version`).on(table).column('version').execute()
  // Its only row comes with the first change: a backup is restored into tables that are empty.
  await db.schema
    .createTable('directory_version')
    .addColumn('id', 'integer', column => column.primaryKey())
    .addColumn('version', 'bigint', column => column.notNull())
    .addColumn('catalog_version', 'bigint', column => column.notNull())
    .execute()
  await db.schema
    .createTable('directory_deletions')
    .addColumn('version', 'bigint', column => column.notNull())
    .addColumn('key_hash', 'text', column => column.notNull())
    .addPrimaryKeyConstraint('directory_deletions_pk', ['version', 'key_hash'])
    .execute()
}
