// Multiple directories on one database, like multiple processes. On PostgreSQL each has its own connections.
import { randomBytes, randomUUID } from 'node:crypto'
import { Kysely, PostgresDialect } from 'kysely'
import { Pool } from 'pg'
import { createDirectory, type Directory } from '../../src/directory/create-directory.ts'
import { createFollowing } from '../../src/directory/follow-directory.ts'
import { resolveTestModel } from '../../src/directory/testing/resolve-test-model.ts'
import { migrate } from '../../src/store/migrations/migrate.ts'
import { ServerChoice } from '../../src/store/postgres/choose-server.ts'
import { CuttingClient } from '../../src/store/postgres/cut-connection.ts'
import { readDatabaseAddress } from '../../src/store/postgres/database-address.ts'
import { getTypeParser } from '../../src/store/postgres/type-parser.ts'
import { runRead, runWrite } from '../../src/store/run-statement.ts'
import type { Schema } from '../../src/store/schema/schema.ts'
import { createStore, type Store } from '../../src/store/store.ts'
import { createTestPostgres, findTestPostgres } from '../../src/store/testing/create-test-postgres.ts'
import { openTestDatabase } from '../../src/store/testing/open-test-database.ts'

/** SQLite sends no notices, so processes poll. */
const nowhere = 'postgres://127.0.0.1:1/none'

export type ProcessOptions = {
  /** Receives notices of changes; PostgreSQL only. */
  readonly listens?: boolean
  /** Polls. */
  readonly looks?: boolean
  /** Another connection to the database. */
  readonly url?: string
}

export type DirectoryProcess = {
  readonly directory: Directory
  readonly store: Store
  readonly processId: string
  /** Each report on whether it may be out of date. */
  readonly reports: readonly ('behind' | 'current')[]
  /** Processes that it waited for in vain. */
  readonly waitedInVain: readonly string[]
  readonly stop: () => Promise<void>
}

export type SharedDirectory = {
  readonly db: Kysely<Schema>
  /** Null on SQLite. */
  readonly url: string | null
  readonly start: (options?: ProcessOptions) => Promise<DirectoryProcess>
  readonly close: () => Promise<void>
}

export async function openSharedDirectory(): Promise<SharedDirectory> {
  const server = findTestPostgres()
  const database = server === null ? null : await createTestPostgres(server)
  const { db, close } = database === null ? await openTestDatabase() : openPool(database.url)
  if (database !== null) await migrate(db)
  const running = new Set<DirectoryProcess>()
  let slots = 0

  const start = async ({ listens = true, looks = true, url }: ProcessOptions = {}) => {
    const processId = randomUUID()
    const slot = slots
    slots += 1
    const own = database === null ? null : openPool(url ?? database.url)
    const store = createStore({
      read: (name, input) => runRead(own?.db ?? db, name, input),
      write: (name, input) => runWrite(own?.db ?? db, name, input),
      check: async () => {
        await (own?.db ?? db).selectFrom('directory_version').select('id').execute()
      },
      close: async () => own?.close(),
    })
    const far = Date.now() + 3_600_000
    const lease = { lease_until: far, started_at: 0, version: 'test', address: null, catalog_hash: null }
    await db
      .insertInto('processes')
      .values({ process_id: processId, slot, ...lease })
      .execute()
    const reports: ('behind' | 'current')[] = []
    const waitedInVain: string[] = []
    const following = createFollowing({
      processId: () => processId,
      database: new ServerChoice(readDatabaseAddress(url ?? database?.url ?? nowhere)),
      log: { info: () => undefined, warn: () => undefined },
    })
    const directory = await createDirectory({
      store,
      clock: Date.now,
      randomBytes,
      newId: randomUUID,
      resolveModel: resolveTestModel,
      defaultMaxParallelRequests: 10,
      following: {
        ...following,
        listen: hear => (database !== null && listens ? following.listen(hear) : async () => undefined),
        every: (milliseconds, run) => {
          // More often than in production, so that a test does not wait half a second for each change.
          const timer = looks ? setInterval(run, milliseconds / 5) : undefined
          return () => clearInterval(timer)
        },
        reportCurrent: error => reports.push(error === null ? 'current' : 'behind'),
        reportBehind: processIds => waitedInVain.push(...processIds),
      },
    })
    const stop = async () => {
      running.delete(opened)
      await directory.stop()
      await store.close()
      await db.deleteFrom('processes').where('process_id', '=', processId).execute()
    }
    const opened: DirectoryProcess = { directory, store, processId, reports, waitedInVain, stop }
    running.add(opened)
    return opened
  }

  return {
    db,
    url: database?.url ?? null,
    start,
    close: async () => {
      for (const opened of [...running]) await opened.stop()
      await close()
      await database?.drop()
    },
  }
}

function openPool(connectionString: string) {
  const pool = new Pool({
    connectionString,
    max: 10,
    types: { getTypeParser },
    connectionTimeoutMillis: 2000,
    query_timeout: 2000,
    Client: CuttingClient,
  })
  // A cut connection fails for its user; idle ones are replaced.
  pool.on('error', () => undefined)
  pool.on('connect', client => client.on('error', () => undefined))
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  return { db, close: () => db.destroy() }
}
