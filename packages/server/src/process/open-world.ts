// Opens the shared environment of all rooms: the log, the database, the secrets, the time and the metrics.
import { randomBytes } from 'node:crypto'
import { isatty } from 'node:tty'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import { createLog, type Log } from '../http/log.ts'
import { createMetrics } from '../http/metrics.ts'
import { createProcessFigures } from '../http/process-figures.ts'
import { openStore } from '../store/open-store.ts'
import { ServerChoice } from '../store/postgres/choose-server.ts'
import { readDatabaseAddress } from '../store/postgres/database-address.ts'
import { holdNotices } from '../world/hold-notices.ts'
import { createServerTime } from '../world/server-time.ts'
import type { Stops } from '../world/stops.ts'
import { after, every, waitUntil } from '../world/timers.ts'
import type { World } from '../world/world.ts'
import { agreeOnSecrets } from './agree-on-secrets.ts'
import type { Membership, Place, StartOptions } from './running-server.ts'
import { takeOver } from './take-over.ts'

type Installation = {
  readonly config: Config
  readonly databaseUrl: string | null
  readonly directUrl: string | null
  readonly loadSecrets: () => Secrets
}

/** Rejects with an Error that explains why the start failed. */
export async function openWorld(
  installation: Installation,
  options: StartOptions,
  { onDrain, onStop }: Stops,
): Promise<{ readonly world: World; readonly place: Place }> {
  const { config } = installation
  const level = config.settings.log_level
  const { log, logAccess, droppedLines, close } = createLog({ level, pretty: readsLog(options.membership) })
  onStop(close)
  const notices = holdNotices(log)
  onStop(notices.release)
  const { store, sharedDatabase, waitingDoors, sharing } = await openDatabase(installation, options, log)
  onStop(() => store.close())
  // Cuts off clients that still wait when the start fails; a door that has opened is closed already.
  onStop(() => waitingDoors?.close())
  const secrets = installation.loadSecrets()
  const time = createServerTime(options.clock)
  await agreeOnSecrets(store.write, secrets, time.wallClock(), notices)
  const metrics = createMetrics(createProcessFigures())
  metrics.watch({ droppedLines })
  const world = {
    ...time,
    config,
    secrets,
    store,
    sharedDatabase,
    log,
    logAccess,
    metrics,
    notices,
    onDrain,
    onStop,
    every,
    after,
    wait: waitUntil,
    random: Math.random,
    randomBytes,
    newId: () => Bun.randomUUIDv7(),
  }
  return { world, place: { waitingDoors, sharing } }
}

async function openDatabase(
  { config, databaseUrl, directUrl }: Installation,
  { reportWaiting, membership }: StartOptions,
  log: Log,
) {
  // One of multiple processes has others at its addresses, and so, sooner or later, has any process that shares the database: at least its
  // successor.
  const isBesideOthers = membership?.isBesideOthers ?? reportWaiting !== undefined
  const sharing = databaseUrl === null && membership === undefined ? null : { isBesideOthers }
  // Prepared statements and notices need a connection to the server itself.
  const sharedDatabase = directUrl === null ? null : new ServerChoice(readDatabaseAddress(directUrl))
  await sharedDatabase?.settle()
  const database = { dataFolder: config.dataFolder, databaseUrl, directUrl, log } as const
  const opened =
    reportWaiting === undefined
      ? { store: await openStore(database), waitingDoors: null }
      : await takeOver(config, patienceMs => openStore({ ...database, patienceMs }), reportWaiting)
  return { ...opened, sharedDatabase, sharing }
}

/** True if a person reads the log. */
export function readsLog(membership: Pick<Membership, 'isTerminal'> | null | undefined): boolean {
  return membership?.isTerminal ?? isatty(1)
}
