// The thread that owns a SQLite connection: commits wait for the disk here, never on the thread that serves requests.
import { Kysely } from 'kysely'
import { migrate } from '../migrations/migrate.ts'
import { runRead, runWrite } from '../run-statement.ts'
import type { Schema } from '../schema/schema.ts'
import { openBunSqlite } from './bun-sqlite-dialect.ts'
import type { StatementReply, StatementRequest, WorkerReady, WorkerStart } from './worker-messages.ts'

declare const self: Worker

function describe(error: unknown): { message: string; code: string | null } {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
  return { message: error instanceof Error ? error.message : String(error), code }
}

async function open(start: WorkerStart): Promise<Kysely<Schema>> {
  const db = new Kysely<Schema>({ dialect: openBunSqlite(start.path, start.mode).dialect })
  if (start.mode === 'write') await migrate(db)
  return db
}

self.onmessage = async (first: MessageEvent<WorkerStart>) => {
  const start = first.data
  let db: Kysely<Schema>
  try {
    db = await open(start)
    self.postMessage({ ready: true } satisfies WorkerReady)
  } catch (error) {
    const cause =
      error instanceof Error && error.cause !== undefined ? `: ${describe(error.cause).message}` : ''
    self.postMessage({ ready: false, message: `${describe(error).message}${cause}` } satisfies WorkerReady)
    return
  }
  const run = start.mode === 'write' ? runWrite : runRead
  // Kysely gives out the one connection to one transaction at a time, in the order asked.
  self.onmessage = async (message: MessageEvent<StatementRequest>) => {
    const { id, name, input } = message.data
    try {
      if (name === 'close') {
        await db.destroy()
        self.postMessage({ id, output: null } satisfies StatementReply)
        return
      }
      const output = await run(db, name, input)
      self.postMessage({ id, output } satisfies StatementReply)
    } catch (error) {
      self.postMessage({ id, error: describe(error) } satisfies StatementReply)
    }
  }
}
