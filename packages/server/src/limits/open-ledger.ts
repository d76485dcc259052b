// Opens the ledger and the directory together: when multiple processes share a database, each needs to know how current the other is.
import { randomUUID } from 'node:crypto'
import { CatalogWatch } from '../catalog/watch-catalogs.ts'
import { CallCorrections } from '../directory/call-corrections.ts'
import { createDirectory, type Directory } from '../directory/create-directory.ts'
import { createFollowing } from '../directory/follow-directory.ts'
import type { ResolveModel } from '../directory/resolve-models.ts'
import type { World } from '../world/world.ts'
import { createOwnerRecords } from './owner-records.ts'
import { startLedger } from './start-ledger.ts'

export type Ledger = Awaited<ReturnType<typeof openLedger>>

export async function openLedger(
  world: World,
  { catalogHash, resolveModel }: { readonly catalogHash: () => string; readonly resolveModel: ResolveModel },
) {
  const { store, sharedDatabase, clock, config, log, onStop } = world
  // Load the directory after this process has its place: from then on other processes wait for it.
  let readVersion = () => 0
  let noteSeen: Directory['noteSeen'] = () => undefined
  let stopDirectory = async (): Promise<void> => undefined
  const ledger = await startLedger(
    world,
    sharedDatabase === null
      ? null
      : {
          database: sharedDatabase,
          describe: () => ({ directoryVersion: readVersion(), catalogHash: catalogHash() }),
          noteDirectory: (version: number, askedAt: number) => noteSeen(version, askedAt),
        },
  )
  const { limits, lease } = ledger
  // Stop the ledger first. It also stops if the directory cannot be loaded, which frees its place at once.
  onStop(() => stopDirectory())
  onStop(ledger.stop)
  const directory = await createDirectory({
    ...world,
    newId: randomUUID,
    resolveModel,
    defaultMaxParallelRequests: config.settings.limits.default_max_parallel_requests,
    ...(sharedDatabase === null
      ? {}
      : {
          following: createFollowing({
            processId: () => lease.process().processId,
            database: sharedDatabase,
            log,
          }),
        }),
  })
  stopDirectory = directory.stop
  readVersion = directory.version
  noteSeen = directory.noteSeen
  const catalogs =
    sharedDatabase === null ? null : new CatalogWatch({ read: store.read, every: world.every, log })
  onStop(() => catalogs?.stop())
  const whyUnhealthy = () => ledger.whyUnhealthy() ?? (directory.isCurrent() ? null : 'directory_behind')
  return {
    ...ledger,
    directory,
    /** Teams and keys with their spend. */
    records: createOwnerRecords({ directory, limits, clock }),
    corrections: new CallCorrections({
      ...world,
      ...store,
      limits,
      directory,
      slot: () => lease.process().slot,
    }),
    /** Null if no other process has a catalog of its own. */
    catalogs,
    /** Reason why no paid call may be admitted; null if calls may. */
    whyUnhealthy,
    /**
     * Called when a paid call cannot be admitted: a process that was too busy to look for changes looks now. Also false when it finds some,
     * since a caller authenticated before a change must be refused.
     */
    awaitHealth: async () => {
      const version = directory.version()
      if (ledger.whyUnhealthy() === null) await directory.catchUp()
      return whyUnhealthy() === null && directory.version() === version
    },
  }
}
