// The store on PostgreSQL: the same statements as on SQLite, over a pool of connections.
import { type Dialect, Kysely, PostgresDialect, sql } from 'kysely'
import { Pool, type PoolConfig } from 'pg'
import { migrate } from '../migrations/migrate.ts'
import { runRead, runWrite } from '../run-statement.ts'
import type { Schema } from '../schema/schema.ts'
import { createStore, type Store, type StoreReports } from '../store.ts'
import { DatabaseInUse, ownCodes, StoreError } from '../store-error.ts'
import { connectMs, isReadOnly, requireWrites, ServerChoice } from './choose-server.ts'
import { CuttingClient, cutConnection } from './cut-connection.ts'
import { readDatabaseAddress } from './database-address.ts'
import { shareDatabaseLock } from './hold-database-lock.ts'
import type { KeptConnection } from './kept-connection.ts'
import { getTypeParser } from './type-parser.ts'
import { keepFirstError, lockMigrations } from './wrap-dialect.ts'

export type PostgresStoreOptions = StoreReports & {
  /** `postgres://user:password@host:port/database`, with multiple hosts if a fail-over can move the database; it may lead through a pooler. */
  readonly connectionString: string
  /** PostgreSQL itself, if `connectionString` leads through a pooler. */
  readonly directConnectionString?: string | null
  /** How long a restore may keep the database before this process gives up. */
  readonly patienceMs?: number
}

/** Twice the number of things that the server does at once: one ledger commit, one append, one management change, and readers. */
const connections = 10
/** A statement that hangs must not block a call forever. */
const statementMs = 30_000
/** Our own statements hold a lock for milliseconds: a longer wait has another cause, such as a manual schema change. */
const lockMs = 10_000

/** Opens the database, shared with other processes, and migrates it. Throws if it cannot be reached, DatabaseInUse during a restore. */
export function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  return connect(() => openStore(options))
}

async function openStore({
  connectionString,
  directConnectionString,
  patienceMs,
  ...reports
}: PostgresStoreOptions): Promise<Store> {
  const choice = new ServerChoice(readDatabaseAddress(connectionString))
  const directChoice =
    typeof directConnectionString === 'string'
      ? new ServerChoice(readDatabaseAddress(directConnectionString))
      : choice
  /** Each with the server that it leads to. */
  const open = new Map<CuttingClient, string>()
  const cutAll = () => {
    for (const client of open.keys()) cutConnection(client)
  }
  await choice.settle()
  let openAtLoss: ReadonlySet<CuttingClient> = new Set()
  const kept = await shareDatabaseLock(directChoice, {
    ...(patienceMs === undefined ? {} : { patienceMs }),
    onLoss: () => {
      openAtLoss = new Set(open.keys())
    },
    // Connections of the pool that are as old as the lost one may lead to the previous server, or nowhere. Newer ones work: cutting them too caused a
    // second interruption, a second after the database was back.
    onReturn: () => {
      for (const [client, server] of open)
        if (openAtLoss.has(client) || server !== choice.current) cutConnection(client)
    },
  })
  const db = openPool(choice, open, {
    max: connections,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    // For a server that does not even report a timeout.
    query_timeout: statementMs + 5000,
    // Open transactions of a lost connection end, and their locks with them.
    idle_in_transaction_session_timeout: 2 * statementMs,
  })
  const close = async () => {
    await closePool(db, cutAll)
    await kept.release()
  }
  try {
    await migrateWithoutHurry(choice)
    // A pooler that refuses our timeouts reports it here, and not at the first call.
    await sql`insert into process_epoch values (1, 1) on conflict do nothing`.execute(db)
  } catch (error) {
    await close()
    throw error
  }
  /** `asked` is the server of the connection that failed. */
  const followPrimary = async (error: unknown, asked: string) => {
    if (choice.current !== asked || !(choice.needsWrites || isReadOnly(error))) return
    if (!(await choice.look(error)) || (choice.current === asked && !isReadOnly(error))) return
    kept.renew()
  }
  return createStore(
    {
      read: (name, input) => runRead(db, name, input),
      write: (name, input) => runWrite(db, name, input),
      check: async doubt => {
        await checkServer(kept, cutAll)
        if (doubt === null) return
        const asked = choice.current
        try {
          // Writes the value that is already there.
          await sql`update process_epoch set epoch = epoch`.execute(db)
        } catch (error) {
          await followPrimary(error, asked)
          throw error
        }
      },
      close,
    },
    reports,
  )
}

function openPool(
  choice: ServerChoice,
  open: Map<CuttingClient, string>,
  options: PoolConfig,
  wrap = (dialect: Dialect): Dialect => dialect,
): Kysely<Schema> {
  class ChosenClient extends CuttingClient {
    readonly server: string

    constructor(config: ConstructorParameters<typeof CuttingClient>[0] = {}) {
      const server = choice.current
      super({ ...(typeof config === 'object' ? config : {}), connectionString: server })
      this.server = server
      choice.follow(this, server)
    }
  }
  const pool = new Pool({
    application_name: 'fairgate',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
    Client: ChosenClient,
    ...(choice.needsWrites
      ? { verify: (client, done) => requireWrites(client).then(() => done(), done) }
      : {}),
    ...options,
  })
  pool.on('connect', client => {
    if (client instanceof ChosenClient) open.set(client, client.server)
    // The pool only listens to idle connections: one that is lost in the middle of a statement would end the process.
    client.on('error', () => undefined)
  })
  pool.on('remove', client => client instanceof CuttingClient && open.delete(client))
  // An idle connection that is lost is replaced when it is needed; statements and checks show the state of the store.
  pool.on('error', () => undefined)
  return new Kysely<Schema>({ dialect: wrap(keepFirstError(new PostgresDialect({ pool }))) })
}

/** A change of a large table may take minutes, and so does waiting for the process that makes it. */
async function migrateWithoutHurry(choice: ServerChoice): Promise<void> {
  const db = openPool(choice, new Map(), { max: 1 }, lockMigrations)
  try {
    await migrate(db)
  } finally {
    await db.destroy()
  }
}

/** If the server does not respond, everything that waits for it fails at once. */
async function checkServer(kept: KeptConnection, cutAll: () => void): Promise<void> {
  try {
    await kept.check()
  } catch (error) {
    if (error instanceof StoreError && error.code === ownCodes.noAnswer) cutAll()
    throw error
  }
}

const politeMs = 5000

/** Connections that no longer answer must not keep the process from ending. */
async function closePool(db: Kysely<Schema>, cutAll: () => void): Promise<void> {
  const timer = setTimeout(cutAll, politeMs)
  await db.destroy()
  clearTimeout(timer)
}

async function connect<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (cause) {
    const message = rootOf(cause)
    const isOurs = ['The database was written by', 'DATABASE_'].some(begin => message.startsWith(begin))
    if (isOurs || cause instanceof DatabaseInUse) throw cause
    throw new Error(`Cannot use the database of DATABASE_URL: ${message}`, { cause })
  }
}

/** The innermost error says what happened. */
function rootOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? rootOf(error.cause) : error.message
}
