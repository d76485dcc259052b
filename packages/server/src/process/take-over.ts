// Starts alongside the process that it replaces: shares its addresses at once, and takes over its database when it has ended, unless they
// share that too.
import type { Config } from '../config/config.ts'
import type { DoorName } from '../config/listener-settings.ts'
import type { Store } from '../store/store.ts'
import { DatabaseInUse } from '../store/store-error.ts'
import { type Door, listen, type RunningDoors } from './listen.ts'
import { createWaitingDoor } from './waiting-door.ts'

export type WaitingDoors = {
  /** From now on these doors answer all requests, including waiting ones. */
  readonly open: (doors: Readonly<Record<DoorName, Door>>) => RunningDoors
  /** Cuts off the waiting requests. */
  readonly close: () => Promise<void>
}

/** After its drain, a process still writes its last charges and closes the database. */
export const closingMs = 60_000

/**
 * `openStore` rejects with DatabaseInUse if another process still has the database after this many ms. `reportWaiting` is called once
 * requests are held: the other process may stop listening. `waitingDoors` is null if the database was free or can be shared, so that there
 * is nothing to wait for. Rejects as `openStore` and `listen` do.
 */
export async function takeOver(
  config: Config,
  openStore: (patienceMs: number) => Promise<Store>,
  reportWaiting: () => void,
): Promise<{ readonly store: Store; readonly waitingDoors: WaitingDoors | null }> {
  try {
    return { store: await openStore(0), waitingDoors: null }
  } catch (error) {
    if (!(error instanceof DatabaseInUse)) throw error
  }
  const waitingDoors = openWaitingDoors(config)
  reportWaiting()
  try {
    const store = await openStore(config.settings.drain_seconds * 1000 + closingMs)
    return { store, waitingDoors }
  } catch (error) {
    await waitingDoors.close()
    throw error
  }
}

function openWaitingDoors(config: Config): WaitingDoors {
  const doors = {
    gateway: createWaitingDoor('gateway'),
    logbook: createWaitingDoor('logbook'),
    admin: createWaitingDoor('admin'),
  }
  const running = listen(config, doors, { isBesideOthers: true })
  return {
    open: ({ gateway, logbook, admin }) => {
      doors.gateway.open(gateway)
      doors.logbook.open(logbook)
      doors.admin.open(admin)
      return running
    },
    close: async () => {
      await Promise.all(Object.values(running).map(({ server }) => server.stop(true)))
    },
  }
}
