// A transaction that fails tells why: the error of the roll-back after it would hide the cause.
import type { DatabaseConnection, Dialect, Driver, TransactionSettings } from 'kysely'

/** A lost connection takes its transaction along: the roll-back then fails as well, and Kysely throws only that. */
export function keepFirstError(dialect: Dialect): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: db => dialect.createIntrospector(db),
    createDriver: () => forgiveRollback(dialect.createDriver()),
  }
}

function forgiveRollback(driver: Driver): Driver {
  /** Connections whose last roll-back failed. */
  const doubtful = new WeakSet<DatabaseConnection>()
  const rollback = async (connection: DatabaseConnection): Promise<void> => {
    try {
      await driver.rollbackTransaction(connection)
    } catch {
      doubtful.add(connection)
    }
  }
  return {
    init: () => driver.init(),
    acquireConnection: () => driver.acquireConnection(),
    beginTransaction: async (connection: DatabaseConnection, settings: TransactionSettings) => {
      // A transaction that is still open must not take in the statements of the next.
      if (doubtful.delete(connection)) await rollback(connection)
      doubtful.delete(connection)
      await driver.beginTransaction(connection, settings)
    },
    commitTransaction: connection => driver.commitTransaction(connection),
    rollbackTransaction: rollback,
    releaseConnection: connection => driver.releaseConnection(connection),
    destroy: () => driver.destroy(),
  }
}
