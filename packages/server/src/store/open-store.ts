// Opens the configured database, and logs each of its failures as one line.
import type { Log } from '../http/log.ts'
import { openPostgresStore } from './postgres/open-postgres-store.ts'
import { openSqliteStore } from './sqlite/open-sqlite-store.ts'
import type { Store, StoreReports } from './store.ts'
import { isReportedByStore } from './store-unavailable.ts'

export type OpenStoreDependencies = {
  readonly dataFolder: string
  /** PostgreSQL; null for the SQLite file in the data folder. */
  readonly databaseUrl: string | null
  /** PostgreSQL itself, if `databaseUrl` leads through a pooler; null if there is no such address. */
  readonly directUrl: string | null
  readonly log: Pick<Log, 'warn' | 'error'>
  /** How long to wait for another process to release the database; the engine's default if absent. */
  readonly patienceMs?: number
}

/** Rejects with DatabaseInUse while another process has the database for itself. */
export async function openStore(dependencies: OpenStoreDependencies): Promise<Store> {
  const { dataFolder, databaseUrl, directUrl, log, ...patience } = dependencies
  const reports: StoreReports = {
    reportFailure: (error, reason) =>
      log.error(
        { err: error, reason },
        'The database cannot be used: paid calls and new entries are refused.',
      ),
    reportRecovery: reason => log.warn({ reason }, 'The database can be used again.'),
  }
  return databaseUrl === null
    ? await openSqliteStore(dataFolder, { ...reports, ...patience })
    : await openPostgresStore({
        connectionString: databaseUrl,
        directConnectionString: directUrl,
        ...reports,
        ...patience,
      })
}

/** Prevents each part that meets a failure from logging it again after the store has logged it. */
export function unlessReported<Rest extends unknown[]>(
  report: (error: unknown, ...rest: Rest) => void,
): (error: unknown, ...rest: Rest) => void {
  return (error, ...rest) => {
    if (!isReportedByStore(error)) report(error, ...rest)
  }
}

/** Logs a failure with its context, unless the store has already logged it. */
export function reportTo(log: Pick<Log, 'warn' | 'error'>, level: 'warn' | 'error', text: string) {
  return unlessReported((error, fields: object = {}) => log[level]({ err: error, ...fields }, text))
}
