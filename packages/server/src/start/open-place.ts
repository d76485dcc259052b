// Opens the place that a server works in: its database, alone or with neighbours, and what it takes over from a predecessor.
import type { Log } from '../http/log.ts'
import { takeOver, type WaitingDoors } from '../process/take-over.ts'
import { openStore } from '../store/open-store.ts'
import { ServerChoice } from '../store/postgres/choose-server.ts'
import { readDatabaseAddress } from '../store/postgres/database-address.ts'
import type { Store } from '../store/store.ts'
import type { Sources } from './read-sources.ts'
import type { StartOptions } from './running-server.ts'

export type Place = {
  readonly store: Store
  /** Null on SQLite: the limits are in the memory of this process. */
  readonly sharedDatabase: ServerChoice | null
  readonly waitingDoors: WaitingDoors | null
  /** How processes share the addresses; null where this one has them to itself. */
  readonly sharing: { readonly isBesideOthers: boolean } | null
}

/** Rejects with an Error that says what is in the way. */
export async function openPlace(
  { config, databaseUrl, directUrl }: Pick<Sources, 'config' | 'databaseUrl' | 'directUrl'>,
  { reportWaiting, membership }: StartOptions,
  log: Log,
): Promise<Place> {
  // A process that shares the database has others at its addresses sooner or later: its successor, if no others.
  const isBesideOthers = membership?.isBesideOthers ?? reportWaiting !== undefined
  const sharing = databaseUrl === null ? null : { isBesideOthers }
  // Statements that are prepared, and notices, need a connection to the server itself.
  const sharedDatabase = directUrl === null ? null : new ServerChoice(readDatabaseAddress(directUrl))
  await sharedDatabase?.settle()
  const database = { dataFolder: config.dataFolder, databaseUrl, directUrl, log } as const
  const opened =
    reportWaiting === undefined
      ? { store: await openStore(database), waitingDoors: null }
      : await takeOver({
          config,
          openStore: patience => openStore({ ...database, ...patience }),
          reportWaiting,
        })
  return { ...opened, sharedDatabase, sharing }
}
