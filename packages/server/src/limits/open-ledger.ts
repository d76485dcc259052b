// Opens the ledger and the directory together: where several processes share a database, each of the two tells the other how current it is.
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
  // The directory is loaded after this process has its place: others wait for it from then on.
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
  // The ledger stops first. It does so too when the directory cannot be loaded: its place is free at once.
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
    /** Teams and keys with what they have spent. */
    records: createOwnerRecords({ directory, limits, clock }),
    corrections: new CallCorrections({
      ...world,
      ...store,
      limits,
      directory,
      slot: () => lease.process().slot,
    }),
    /** Null where no other process has a catalog of its own. */
    catalogs,
    /** Why no paid call may be admitted; null when it may. */
    whyUnhealthy,
    /**
     * Asked when a paid call cannot be admitted: a process that was too busy to look for changes looks now. False also when it finds some,
     * since whoever was authenticated before a change is refused.
     */
    awaitHealth: async () => {
      const version = directory.version()
      if (ledger.whyUnhealthy() === null) await directory.catchUp()
      return whyUnhealthy() === null && directory.version() === version
    },
  }
}
