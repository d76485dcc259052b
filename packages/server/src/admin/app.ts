// The admin door's routes: every management call is registered here and nowhere else.
import type { CallsReader } from '../calls/calls-reader.ts'
import type { CoverageReader } from '../coverage/coverage-reader.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { Route } from '../http/route.ts'
import type { OwnerRecords } from '../limits/owner-records.ts'
import type { Board } from '../store/statements/boards.ts'
import type { Store } from '../store/store.ts'
import { auditRoute } from './audit-route.ts'
import type { AdminCaller } from './authenticate-admin.ts'
import { listBoardsRoute, lockRoutes } from './board-routes.ts'
import { callsRoutes } from './calls-routes.ts'
import { type CatalogParts, catalogRoutes } from './catalog-routes.ts'
import { coverageRoute } from './coverage-route.ts'
import { keyRoutes } from './key-routes.ts'
import { logTokenRoutes } from './log-token-routes.ts'
import type { EntriesReading } from './logs/entries-port.ts'
import { exportEntriesRoutes } from './logs/export-entries.ts'
import { readEntriesRoutes } from './logs/read-entries.ts'
import { type VerifyTeam, verifyLogRoute } from './logs/verify-log.ts'
import { teamRoutes } from './team-routes.ts'

export type AdminDependencies = {
  readonly directory: Directory
  /** Teams and keys with what they have spent. */
  readonly records: OwnerRecords
  readonly catalog: CatalogParts
  readonly calls: Pick<CallsReader, 'readAll' | 'find'>
  readonly audit: Pick<Store['read'], 'listAudit'>
  readonly logs: {
    readonly listBoards: () => Promise<readonly Board[]>
    readonly verifyTeam: VerifyTeam
    readonly entries: EntriesReading
  }
  readonly coverage: Pick<CoverageReader, 'read'>
  /** Unix ms. */
  readonly clock: () => number
}

export function createAdminRoutes(dependencies: AdminDependencies): Route<AdminCaller>[] {
  const { directory, records, catalog, calls, audit, logs, coverage, clock } = dependencies
  const { verifyTeam, listBoards, entries } = logs
  return [
    ...teamRoutes(directory, records),
    ...keyRoutes(directory, records),
    ...logTokenRoutes(directory),
    ...lockRoutes(directory, clock),
    ...catalogRoutes(catalog),
    ...callsRoutes(calls),
    auditRoute(audit),
    verifyLogRoute(directory, verifyTeam),
    listBoardsRoute(directory, listBoards, clock),
    ...readEntriesRoutes(directory, entries),
    coverageRoute(directory, coverage),
    ...exportEntriesRoutes({ directory, entries, listBoards }),
  ]
}
