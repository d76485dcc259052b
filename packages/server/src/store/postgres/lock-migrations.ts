// Lets one process at a time migrate, also behind a pooler: the lock belongs to the transaction and ends with it.
import { CompiledQuery, type DatabaseConnection, type Dialect, type Driver, PostgresAdapter } from 'kysely'

/** Kysely's own number, so that versions that lock the session wait for us, and we for them. */
const lockNumber = '3853314791062309107'

/**
 * Kysely locks the session before its transaction. Behind a pooler in transaction mode the unlock may reach another session: the lock then stays
 * with an idle connection of the pooler, and the next start waits for an hour. Six processes
 * that started at once hung in 2 of 3 tries.
 */
export function lockMigrations(dialect: Dialect): Dialect {
  return {
    createAdapter: () => new AdapterWithoutLock(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: db => dialect.createIntrospector(db),
    createDriver: () => lockTransactions(dialect.createDriver()),
  }
}

class AdapterWithoutLock extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

function lockTransactions(driver: Driver): Driver {
  return {
    init: () => driver.init(),
    acquireConnection: () => driver.acquireConnection(),
    beginTransaction: async (connection: DatabaseConnection, settings) => {
      await driver.beginTransaction(connection, settings)
      await connection.executeQuery(CompiledQuery.raw(`select pg_advisory_xact_lock(${lockNumber})`))
    },
    commitTransaction: connection => driver.commitTransaction(connection),
    rollbackTransaction: connection => driver.rollbackTransaction(connection),
    releaseConnection: connection => driver.releaseConnection(connection),
    destroy: () => driver.destroy(),
  }
}
