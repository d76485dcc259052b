// A worker's connection: runs statements, and for the writer checks that each commit has gone to the current file.

import { Database } from 'bun:sqlite'
import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Kysely, sql } from 'kysely'
import { migrate } from '../migrations/migrate.ts'
import { findWrite, runRead } from '../run-statement.ts'
import type { Schema } from '../schema/schema.ts'
import { StoreError } from '../store-error.ts'
import { openBunSqlite } from './bun-sqlite-dialect.ts'
import { DatabaseProbe } from './database-probe.ts'
import { watchFiles } from './watch-files.ts'
import type { CheckInput, WorkerStart } from './worker-messages.ts'
import { WritingDatabase } from './writing-database.ts'

export type Connection = {
  readonly run: (name: string, input: unknown) => Promise<unknown>
  /** Rejects if the database cannot be used. */
  readonly check: (doubt: CheckInput) => Promise<void>
  readonly close: () => Promise<void>
}

export function openConnection({ path, mode }: WorkerStart): Promise<Connection> {
  return mode === 'write' ? openWriter(path) : openReader(path)
}

async function openReader(path: string): Promise<Connection> {
  const db = new Kysely<Schema>({ dialect: openBunSqlite(path, 'read').dialect })
  return {
    run: (name, input) => runRead(db, name, input),
    check: async doubt => {
      if (doubt === null) return
      // Pages that were read wrongly must not be served from memory.
      await sql`pragma shrink_memory`.execute(db)
      await sql`select count(*) from sqlite_schema`.execute(db)
    },
    close: () => db.destroy(),
  }
}

async function openWriter(path: string): Promise<Connection> {
  refuseForeignFile(path)
  const db = new WritingDatabase(path)
  await migrate<Schema>(db)
  const probe = new DatabaseProbe(path)
  const files = watchFiles(path, probe.read)
  return {
    run: (name, input) => {
      const statement = findWrite(name)
      return db.inTurn(async () => {
        files.check()
        const output = await db.transact(() => statement(db, input as never))
        files.confirm()
        return output
      })
    },
    check: doubt =>
      db.inTurn(async () => {
        files.check()
        if (doubt === null) return
        if (doubt === 'database_full') requireFreeSpace(path)
        if (doubt === 'database_damaged') {
          db.run('PRAGMA shrink_memory', [])
          probe.read('doubted')
        }
        // Writes the value that is already there: a page of log, and the wait for the disk.
        db.run('PRAGMA user_version = 0', [])
        files.confirm()
      }),
    close: async () => {
      // SQLite removes the log by its name when it closes: that of another database, if one has replaced it.
      files.confirm()
      probe.close()
      await db.destroy()
    },
  }
}

const enoughBytes = 1024 * 1024

/** Throws while less than 1 MiB is free: if one page just fits, the check would pass and the next charge would fail. */
function requireFreeSpace(path: string): void {
  const { bavail, bsize } = statfsSync(dirname(path))
  if (bavail * bsize < enoughBytes) throw new StoreError('The disk is full.', 'SQLITE_FULL')
}

/**
 * Keeps Fairgate away from a SQLite file that another program created: migrating it would put our tables next to theirs. A file that does
 * not exist yet, or is empty, is fine. Throws StoreError with the reason.
 */
function refuseForeignFile(path: string): void {
  if (!existsSync(path)) return
  const stats = statSync(path)
  if (!stats.isFile()) throw new StoreError('This is a folder, or something else that is not a file.', null)
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
