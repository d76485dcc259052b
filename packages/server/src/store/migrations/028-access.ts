// Makes room for admin keys with names and roles, for who is signed in on pages, and for links that sign somebody in once.
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('admin_keys')
    .addColumn('key_id', 'text', column => column.primaryKey())
    .addColumn('key_hash', 'text', column => column.notNull().unique())
    .addColumn('key_name', 'text', column => column.notNull())
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('folded_name', 'text', column => column.notNull().unique())
    .addColumn('role', 'text', column => column.notNull())
    .addColumn('blocked', 'integer', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('created_by', 'text', column => column.notNull())
    .execute()
  await db.schema
    .createTable('sign_ins')
    .addColumn('cookie_hash', 'text', column => column.primaryKey())
    .addColumn('door', 'text', column => column.notNull())
    .addColumn('credential', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('expires_at', 'bigint', column => column.notNull())
    .execute()
  await db.schema
    .createIndex('sign_ins_by_credential')
    .on('sign_ins')
    .columns(['door', 'credential'])
    .execute()
  await db.schema.createIndex('sign_ins_by_expiry').on('sign_ins').column('expires_at').execute()
  await db.schema
    .createTable('sign_in_links')
    .addColumn('ticket_hash', 'text', column => column.primaryKey())
    .addColumn('door', 'text', column => column.notNull())
    .addColumn('credential', 'text', column => column.notNull())
    .addColumn('expires_at', 'bigint', column => column.notNull())
    .execute()
}
