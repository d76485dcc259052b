// Inspects the database of a data folder with no running server, without creating or changing a file.
import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseInUse } from '../store-error.ts'
import { lockDataFolder } from './lock-data-folder.ts'

export type SqliteFacts = {
  readonly path: string
  readonly exists: boolean
  /** Null if it was not checked, as for a running server. */
  readonly journalMode: string | null
  readonly isLocked: boolean | null
  readonly agreed: ReadonlyMap<string, string>
}

/** Throws an Error if the file is not a database or cannot be read. */
export function inspectSqlite(folder: string, path: string): SqliteFacts {
  if (!existsSync(path)) return { path, exists: false, journalMode: null, isLocked: null, agreed: new Map() }
  const database = new Database(path, { readonly: true })
  try {
    const [mode] = database.query<{ journal_mode: string }, []>('pragma journal_mode').all()
    const tables = database.query("select 1 from sqlite_master where name = 'deployment_facts'").all()
    const rows =
      tables.length === 0
        ? []
        : database
            .query<{ name: string; value: string }, []>('select name, value from deployment_facts')
            .all()
    return {
      path,
      exists: true,
      journalMode: mode?.journal_mode ?? null,
      isLocked: isFolderLocked(folder),
      agreed: new Map(rows.map(({ name, value }) => [name, value])),
    }
  } finally {
    database.close()
  }
}

function isFolderLocked(folder: string): boolean {
  if (!existsSync(join(folder, 'fairgate.lock'))) return false
  try {
    lockDataFolder(folder).release()
    return false
  } catch (error) {
    if (error instanceof DatabaseInUse) return true
    throw error
  }
}
