// Keeps Fairgate off a SQLite file that another program has made: migrating it would put our tables beside theirs.
import { Database } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { StoreError } from '../store-error.ts'

/** Throws StoreError with what is wrong. A file that is not there yet, or is empty, is fine. */
export function refuseForeignFile(path: string): void {
  if (!existsSync(path)) return
  const stats = statSync(path)
  if (!stats.isFile()) throw new StoreError('There is a folder, or something else that is no file.', null)
  if (stats.size === 0) return
  const database = new Database(path, { readwrite: true })
  try {
    const tables = database.query<{ name: string }, []>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
    )
    const names = tables.all().map(({ name }) => name)
    if (names.length > 0 && !names.includes('kysely_migration'))
      throw new StoreError(`It belongs to another program: it has a table "${names[0]}".`, null)
  } finally {
    database.close()
  }
}
