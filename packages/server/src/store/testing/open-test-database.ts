// A migrated SQLite database for the tests of statements, in memory unless a path is given.
import { Kysely } from 'kysely'
import { migrate } from '../migrations/migrate.ts'
import type { Schema } from '../schema/schema.ts'
import { openBunSqlite } from '../sqlite/bun-sqlite-dialect.ts'

export async function openTestDatabase(
  path = ':memory:',
): Promise<{ db: Kysely<Schema>; close: () => Promise<void> }> {
  const db = new Kysely<Schema>({ dialect: openBunSqlite(path, 'write').dialect })
  await migrate(db)
  return { db, close: () => db.destroy() }
}
