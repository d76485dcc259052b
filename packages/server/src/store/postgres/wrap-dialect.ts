// Changes two behaviours of Kysely's PostgreSQL dialect: a failed transaction reports its cause, and only one process at a time migrates.
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  type TransactionSettings,
} from 'kysely'

function withDriver(dialect: Dialect, change: (driver: Driver) => Partial<Driver>): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: db => dialect.createIntrospector(db),
    createDriver: () => {
      const driver = dialect.createDriver()
      return {
        init: () => driver.init(),
        acquireConnection: () => driver.acquireConnection(),
        beginTransaction: (connection, settings) => driver.beginTransaction(connection, settings),
        commitTransaction: connection => driver.commitTransaction(connection),
        rollbackTransaction: connection => driver.rollbackTransaction(connection),
        releaseConnection: connection => driver.releaseConnection(connection),
        destroy: () => driver.destroy(),
        ...change(driver),
      }
    },
  }
}

/** A lost connection ends its transaction: the rollback then fails as well, and Kysely throws only that error. */
export function keepFirstError(dialect: Dialect): Dialect {
  return withDriver(dialect, driver => {
    /** Connections on which the last rollback failed. */
    const doubtful = new WeakSet<DatabaseConnection>()
    const rollback = async (connection: DatabaseConnection): Promise<void> => {
      try {
        await driver.rollbackTransaction(connection)
      } catch {
        doubtful.add(connection)
      }
    }
    return {
      beginTransaction: async (connection: DatabaseConnection, settings: TransactionSettings) => {
        // A transaction that is still open must not include the statements of the next.
        if (doubtful.delete(connection)) await rollback(connection)
        doubtful.delete(connection)
        await driver.beginTransaction(connection, settings)
      },
      rollbackTransaction: rollback,
    }
  })
}

/** Kysely's own number, so that versions that lock the session wait for us, and we for them. */
const lockNumber = '3853314791062309107'

/**
 * The lock belongs to the transaction and ends with it. Kysely locks the session before its transaction. Behind a pooler in transaction
 * mode the unlock may reach another session: the lock then stays with an idle connection of the pooler, and the next start waits for an
 * hour. Six processes that started at once hung in 2 of 3 tries.
 */
export function lockMigrations(dialect: Dialect): Dialect {
  return {
    ...withDriver(dialect, driver => ({
      beginTransaction: async (connection, settings) => {
        await driver.beginTransaction(connection, settings)
        await connection.executeQuery(CompiledQuery.raw(`select pg_advisory_xact_lock(${lockNumber})`))
      },
    })),
    createAdapter: () => new AdapterWithoutLock(),
  }
}

class AdapterWithoutLock extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}
