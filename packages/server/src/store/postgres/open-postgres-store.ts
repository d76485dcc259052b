// The store on PostgreSQL: the same statements as on SQLite, over a pool of connections.
import { Kysely, PostgresDialect } from 'kysely'
import { Pool, types } from 'pg'
import { migrate } from '../migrations/migrate.ts'
import { runRead, runWrite } from '../run-statement.ts'
import type { Schema } from '../schema/schema.ts'
import { createStore, type Store } from '../store.ts'
import { StoreError } from '../store-error.ts'
import { holdDatabaseLock, workingName } from './hold-database-lock.ts'

export type PostgresStoreOptions = {
  /** `postgres://user:password@host:port/database`. */
  readonly connectionString: string
  /** Told about lost connections; the store reconnects by itself. */
  readonly reportFailure: (error: unknown) => void
}

/** Twice what the server does at once: one ledger commit, one append, one management change, and readers. */
const connections = 10

/** Opens the database and migrates it. Throws when it cannot be reached or another process uses it. */
export async function openPostgresStore({
  connectionString,
  reportFailure,
}: PostgresStoreOptions): Promise<Store> {
  const lock = await connect(() => holdDatabaseLock(connectionString, reportFailure))
  const pool = new Pool({
    connectionString,
    max: connections,
    application_name: workingName,
    connectionTimeoutMillis: 5000,
    // A statement that hangs must not hang a call for ever.
    statement_timeout: 30_000,
    types: { getTypeParser },
  })
  pool.on('error', reportFailure)
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  try {
    await migrate(db)
  } catch (error) {
    await db.destroy()
    await lock.release()
    throw error
  }
  return createStore({
    read: (name, input) => runRead(db, name, input),
    write: async (name, input) => {
      if (!lock.isHeld()) throw new StoreError('The lock on the database is lost.', lockLost)
      return await runWrite(db, name, input)
    },
    close: async () => {
      await db.destroy()
      await lock.release()
    },
  })
}

/** Class 08 of SQLSTATE is "connection exception". */
const lockLost = '08F01'

const int8 = 20
const numeric = 1700

/** 64-bit integers and their sums as numbers: all of ours are safe integers (nano-dollars, microseconds, counts). */
const getTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') => {
  if (oid === int8 || oid === numeric) return Number
  return types.getTypeParser(oid, format as 'text')
}

async function connect<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    if (message.startsWith('Another Fairgate')) throw cause
    throw new Error(`Cannot use the database of DATABASE_URL: ${message}`, { cause })
  }
}
