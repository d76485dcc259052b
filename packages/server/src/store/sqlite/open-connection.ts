// One worker's connection: runs statements, and for the writer sees that each commit has gone to the file that is there.
import { Kysely, sql } from 'kysely'
import { migrate } from '../migrations/migrate.ts'
import { findWrite, runRead } from '../run-statement.ts'
import type { Schema } from '../schema/schema.ts'
import { openBunSqlite } from './bun-sqlite-dialect.ts'
import { probeDatabase, refuseForeignFile, requireFreeSpace } from './probe-database.ts'
import { watchFiles } from './watch-files.ts'
import type { CheckInput, WorkerStart } from './worker-messages.ts'
import { WritingDatabase } from './writing-database.ts'

export type Connection = {
  readonly run: (name: string, input: unknown) => Promise<unknown>
  /** Rejects when the database cannot be used. */
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
      if (doubt !== null) await sql`select count(*) from sqlite_schema`.execute(db)
    },
    close: () => db.destroy(),
  }
}

async function openWriter(path: string): Promise<Connection> {
  refuseForeignFile(path)
  const db = new WritingDatabase(path)
  await migrate<Schema>(db)
  const files = watchFiles(path, isCut => probeDatabase(path, isCut))
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
        // Writes the value it has: a page of log, and the wait for the disk.
        db.run('PRAGMA user_version = 0', [])
        files.confirm()
      }),
    close: async () => {
      // SQLite removes the log by its name when it closes: that of another database, if one is in its place.
      files.confirm()
      await db.destroy()
    },
  }
}
