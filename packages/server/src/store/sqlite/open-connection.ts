// One worker's connection: runs statements, and for the writer sees that each commit has gone to the file that is there.
import { Kysely, sql } from 'kysely'
import { keepFirstError } from '../keep-first-error.ts'
import { migrate } from '../migrations/migrate.ts'
import { runRead, runWrite } from '../run-statement.ts'
import type { Schema } from '../schema/schema.ts'
import { openBunSqlite } from './bun-sqlite-dialect.ts'
import { probeDatabase, requireFreeSpace } from './probe-database.ts'
import { refuseForeignFile } from './refuse-foreign-file.ts'
import { watchFiles } from './watch-files.ts'
import type { CheckInput, WorkerStart } from './worker-messages.ts'

export type Connection = {
  readonly run: (name: string, input: unknown) => Promise<unknown>
  /** Rejects when the database cannot be used. */
  readonly check: (doubt: CheckInput) => Promise<void>
  readonly close: () => Promise<void>
}

export function openConnection({ path, mode }: WorkerStart): Promise<Connection> {
  return mode === 'write' ? openWriter(path) : openReader(path)
}

function openDatabase(path: string, mode: WorkerStart['mode']): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: keepFirstError(openBunSqlite(path, mode).dialect) })
}

async function openReader(path: string): Promise<Connection> {
  const db = openDatabase(path, 'read')
  return {
    run: (name, input) => runRead(db, name, input),
    check: async doubt => {
      if (doubt !== null) await sql`select count(*) from sqlite_schema`.execute(db)
    },
    close: () => db.destroy(),
  }
}

async function openWriter(path: string): Promise<Connection> {
  refuseForeignFile(path)
  const db = openDatabase(path, 'write')
  await migrate(db)
  const files = watchFiles(path, isCut => probeDatabase(path, isCut))
  const rewriteSetting = async () => {
    // Writes the value it has: a page of log, and the wait for the disk.
    await sql`PRAGMA user_version = 0`.execute(db)
  }
  return {
    run: async (name, input) => {
      files.check()
      const output = await runWrite(db, name, input)
      files.confirm()
      return output
    },
    check: async doubt => {
      files.check()
      if (doubt === null) return
      if (doubt === 'database_full') requireFreeSpace(path)
      await rewriteSetting()
      files.confirm()
    },
    close: async () => {
      // SQLite removes the log by its name when it closes: that of another database, if one is in its place.
      files.confirm()
      await db.destroy()
    },
  }
}
