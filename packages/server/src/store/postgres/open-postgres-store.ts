// The store on PostgreSQL: the same statements as on SQLite, over a pool of connections.
import { Kysely, PostgresDialect, sql } from 'kysely'
import { Pool } from 'pg'
import { migrate } from '../migrations/migrate.ts'
import { runRead, runWrite } from '../run-statement.ts'
import type { Schema } from '../schema/schema.ts'
import { createStore, type Store, type StoreReports } from '../store.ts'
import { ownCodes, StoreError } from '../store-error.ts'
import { CuttingClient, cutConnection } from './cut-connection.ts'
import { type DatabaseLock, holdDatabaseLock, poolName } from './hold-database-lock.ts'
import { keepFirstError } from './keep-first-error.ts'
import { getTypeParser } from './type-parser.ts'

export type PostgresStoreOptions = StoreReports & {
  /** `postgres://user:password@host:port/database`. */
  readonly connectionString: string
  /** How long another process may keep the database before this one gives up. */
  readonly patienceMs?: number
}

/** Twice what the server does at once: one ledger commit, one append, one management change, and readers. */
const connections = 10
/** A statement that hangs must not hang a call forever. */
const statementMs = 30_000

/** Opens the database and migrates it. Throws when it cannot be reached or another process uses it. */
export async function openPostgresStore({
  connectionString,
  patienceMs,
  ...reports
}: PostgresStoreOptions): Promise<Store> {
  const lock = await connect(() => holdDatabaseLock(connectionString, patienceMs))
  const pool = new Pool({
    connectionString,
    max: connections,
    application_name: poolName,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: statementMs,
    // For a server that does not even report that the time is up.
    query_timeout: statementMs + 5000,
    // What a lost connection has left open ends, and with it its locks.
    idle_in_transaction_session_timeout: 2 * statementMs,
    types: { getTypeParser },
    Client: CuttingClient,
  })
  const open = new Set<CuttingClient>()
  pool.on('connect', client => {
    if (client instanceof CuttingClient) open.add(client)
    // The pool listens to connections that are idle only: one that is lost in the middle of a statement would end the process.
    client.on('error', () => undefined)
  })
  pool.on('remove', client => client instanceof CuttingClient && open.delete(client))
  // An idle connection that is lost is replaced when it is needed; statements and checks tell how the store is.
  pool.on('error', () => undefined)
  const db = new Kysely<Schema>({ dialect: keepFirstError(new PostgresDialect({ pool })) })
  try {
    await connect(() => migrate(db))
  } catch (error) {
    await db.destroy()
    await lock.release()
    throw error
  }
  return createStore(
    {
      read: (name, input) => runRead(db, name, input),
      write: async (name, input) => {
        lock.assertHeld()
        return await runWrite(db, name, input)
      },
      check: async doubt => {
        await checkServer(lock, open)
        // Writes the value it has.
        if (doubt !== null) await sql`update process_epoch set epoch = epoch`.execute(db)
      },
      close: async () => {
        await closePool(db, open)
        await lock.release()
      },
    },
    reports,
  )
}

/** When the server gives no sign of life, whatever waits for it fails at once. */
async function checkServer(lock: DatabaseLock, open: ReadonlySet<CuttingClient>): Promise<void> {
  try {
    await lock.check()
  } catch (error) {
    if (error instanceof StoreError && error.code === ownCodes.noAnswer)
      for (const client of open) cutConnection(client)
    throw error
  }
}

const politeMs = 5000

/** Connections that no longer answer must not keep the process from ending. */
async function closePool(db: Kysely<Schema>, open: ReadonlySet<CuttingClient>): Promise<void> {
  const timer = setTimeout(() => {
    for (const client of open) cutConnection(client)
  }, politeMs)
  await db.destroy()
  clearTimeout(timer)
}

async function connect<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (cause) {
    const message = rootOf(cause)
    if (message.startsWith('Another Fairgate') || message.startsWith('The database was written by'))
      throw cause
    throw new Error(`Cannot use the database of DATABASE_URL: ${message}`, { cause })
  }
}

/** The innermost error says what happened. */
function rootOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? rootOf(error.cause) : error.message
}
