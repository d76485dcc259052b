// The admin door's routes: every management call is registered here and nowhere else.
import type { Directory } from '../directory/create-directory.ts'
import type { Route } from '../http/route.ts'
import { createOwnerRecords, type RecordDependencies } from '../limits/owner-records.ts'
import { type ListAuditDependencies, listAuditRoute } from './audit/list-audit.ts'
import type { AdminCaller } from './authenticate-admin.ts'
import { lockBoardRoutes } from './boards/lock-board.ts'
import { type CatalogDependencies, catalogRoutes } from './catalog/catalog-routes.ts'
import { changeKeysRoutes } from './keys/change-keys.ts'
import { readKeysRoutes } from './keys/read-keys.ts'
import type { EntriesReading } from './logs/entries-port.ts'
import { exportEntriesRoutes } from './logs/export-entries.ts'
import { readEntriesRoutes } from './logs/read-entries.ts'
import { type ReadLogsDependencies, readLogsRoutes } from './logs/read-logs.ts'
import { changeTeamsRoutes } from './teams/change-teams.ts'
import { readTeamsRoutes } from './teams/read-teams.ts'
import { logTokensRoutes } from './tokens/log-tokens.ts'

export type AdminDependencies = Omit<RecordDependencies, 'directory'> &
  Pick<ReadLogsDependencies, 'verifyTeam'> &
  CatalogDependencies & {
    readonly directory: Directory
    readonly entries: EntriesReading
    /** The statements of the store that are read without the directory. */
    readonly store: {
      readonly read: Pick<ListAuditDependencies, 'listAudit'> & Pick<ReadLogsDependencies, 'listBoards'>
    }
  }

export function createAdminRoutes(dependencies: AdminDependencies): Route<AdminCaller>[] {
  const { directory, entries, store, verifyTeam, clock } = dependencies
  const { listBoards } = store.read
  const rows = createOwnerRecords(dependencies)
  return [
    ...changeTeamsRoutes({ directory, rows }),
    ...readTeamsRoutes({ directory, rows }),
    ...changeKeysRoutes({ directory, rows }),
    ...readKeysRoutes({ directory, rows }),
    ...logTokensRoutes({ directory }),
    ...lockBoardRoutes({ directory, clock }),
    ...catalogRoutes(dependencies),
    listAuditRoute({ listAudit: store.read.listAudit }),
    ...readLogsRoutes({ directory, verifyTeam, listBoards, clock }),
    ...readEntriesRoutes({ directory, entries }),
    ...exportEntriesRoutes({ directory, entries, listBoards }),
  ]
}
