// A migrated SQLite database for the tests of statements, in memory unless a path is given.
import type { Kysely } from 'kysely'
import { migrate } from '../migrations/migrate.ts'
import type { Schema } from '../schema/schema.ts'
import { WritingDatabase } from '../sqlite/writing-database.ts'

export async function openTestDatabase(
  path = ':memory:',
): Promise<{ db: Kysely<Schema>; close: () => Promise<void> }> {
  const db: Kysely<Schema> = new WritingDatabase(path)
  await migrate(db)
  return { db, close: () => db.destroy() }
}
