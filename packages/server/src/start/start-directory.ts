// Starts the ledger and the directory together: where several processes share a database, each of the two tells the other how current it is.
import { randomBytes, randomUUID } from 'node:crypto'
import { CatalogWatch } from '../catalog/watch-catalogs.ts'
import { createDirectory, type Directory } from '../directory/create-directory.ts'
import { createFollowing } from '../directory/create-following.ts'
import type { ResolveModel } from '../directory/resolve-models.ts'
import type { Log } from '../http/log.ts'
import type { Metrics } from '../http/metrics.ts'
import { type Ledger, startLedger } from '../limits/start-ledger.ts'
import type { ServerChoice } from '../store/postgres/choose-server.ts'
import type { Store } from '../store/store.ts'
import type { HeldNotices } from '../world/hold-notices.ts'
import { every } from '../world/timers.ts'

export type StartDirectoryDependencies = {
  readonly store: Store
  /** PostgreSQL; null on SQLite, where the limits are in the memory of the only process. */
  readonly sharedDatabase: ServerChoice | null
  readonly catalogHash: () => string
  readonly resolveModel: ResolveModel
  readonly defaultMaxParallelRequests: number
  readonly clock: () => number
  readonly wallClock: () => number
  readonly metrics: Metrics
  readonly log: Log
  readonly notices: HeldNotices
}

export type StartedDirectory = {
  readonly ledger: Ledger
  readonly directory: Directory
  /** Null where no other process has a catalog of its own. */
  readonly catalogs: CatalogWatch | null
  /** Why no paid call may be admitted; null when it may. */
  readonly whyUnhealthy: () => string | null
  /**
   * Asked when a paid call cannot be admitted: a process that was too busy to look for changes looks now. False also when it finds some,
   * since whoever was authenticated before a change is refused.
   */
  readonly awaitHealth: () => Promise<boolean>
}

export async function startDirectory(dependencies: StartDirectoryDependencies): Promise<StartedDirectory> {
  const { store, sharedDatabase, clock, wallClock, metrics, log, notices } = dependencies
  // The directory is loaded after this process has its place: others wait for it from then on.
  let readVersion = () => 0
  let noteSeen: Directory['noteSeen'] = () => undefined
  const shared =
    sharedDatabase === null
      ? null
      : {
          database: sharedDatabase,
          describe: () => ({ directoryVersion: readVersion(), catalogHash: dependencies.catalogHash() }),
          noteDirectory: (version: number, askedAt: number) => noteSeen(version, askedAt),
        }
  const ledger = await startLedger({ store, shared, clock, wallClock, metrics, log, notices })
  const following =
    sharedDatabase === null
      ? {}
      : {
          following: createFollowing({
            processId: () => ledger.lease.process().processId,
            database: sharedDatabase,
            log,
          }),
        }
  const directory = await createDirectory({
    store,
    clock,
    randomBytes,
    newId: randomUUID,
    resolveModel: dependencies.resolveModel,
    defaultMaxParallelRequests: dependencies.defaultMaxParallelRequests,
    ...following,
  })
  readVersion = directory.version
  noteSeen = directory.noteSeen
  const whyUnhealthy = () => ledger.whyUnhealthy() ?? (directory.isCurrent() ? null : 'directory_behind')
  return {
    ledger,
    directory,
    catalogs: sharedDatabase === null ? null : new CatalogWatch({ read: store.read, every, log }),
    whyUnhealthy,
    awaitHealth: async () => {
      const version = directory.version()
      if (ledger.whyUnhealthy() === null) await directory.catchUp()
      return whyUnhealthy() === null && directory.version() === version
    },
  }
}
