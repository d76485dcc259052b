// Opens the doors and knows their addresses. Their stop lets clients move or finish, and cuts off what still runs when the time is up.
import { setTimeout } from 'node:timers/promises'
import type { DoorName } from '../config/listener-settings.ts'
import type { World } from '../world/world.ts'
import { drain, letClientsMove } from './drain.ts'
import { type Door, listen, type RunningDoors } from './listen.ts'
import { findListeningSockets } from './listening-sockets.ts'
import type { Entrance } from './open-entrance.ts'
import type { DoorUrls, StopManner } from './running-server.ts'
import { closingMs } from './take-over.ts'

export type OpenedDoors = {
  readonly open: RunningDoors
  readonly urls: DoorUrls
  readonly ports: Readonly<Partial<Record<DoorName | 'metrics', number>>>
  /** Max duration of the server's stop if all goes well. */
  readonly longestStopMs: number
  /** Accepts no new requests, and resolves when none is left. */
  readonly drain: (how: StopManner) => Promise<void>
}

type DoorsParts = {
  readonly entrance: Entrance
  readonly doors: Readonly<Record<DoorName, Door>>
  /** Calls that are not settled yet, and streams that are not charged yet. */
  readonly countCalls: () => number
  readonly countStreams: () => number
  /** Ends responses that clients follow endlessly. */
  readonly endFollowing: () => void
}

/** Time for clients with kept connections to find another process. */
const leastMoveMs = 1000

/** Throws an Error that names the setting if an address is taken. */
export function openDoors({ config, log, stopwatch, onStop }: World, parts: DoorsParts): OpenedDoors {
  const { entrance, doors } = parts
  const { metricsAddress, addresses, readiness, keptStreams, descriptors } = entrance
  const { waitingDoors, sharing } = entrance.place
  const open = waitingDoors === null ? listen(config, doors, sharing ?? {}) : waitingDoors.open(doors)
  const running = Object.values(open)
  onStop(() => Promise.all(running.map(({ server }) => server.stop(true))))
  addresses.use(open)
  const listeners = { ...open, ...(metricsAddress === null ? {} : { metrics: metricsAddress }) }
  const ports = Object.fromEntries(Object.entries(listeners).map(([name, { port }]) => [name, port]))
  descriptors.start(findListeningSockets(Object.values(ports)))
  const { drain_announce_seconds: announceSeconds, drain_seconds: drainSeconds } = config.settings
  const announceMs = announceSeconds * 1000
  const drainMs = drainSeconds * 1000
  const movingMs = Math.max(announceMs, leastMoveMs)
  return {
    open,
    urls: {
      gatewayUrl: open.gateway?.url ?? '',
      logbookUrl: open.logbook?.url ?? '',
      adminUrl: open.admin?.url ?? '',
      metricsUrl: metricsAddress?.url ?? '',
    },
    ports,
    longestStopMs: Math.max(movingMs, drainMs) + drainMs + closingMs,
    drain: async how => {
      readiness.enter(how === 'replaced' ? 'replaced' : 'draining')
      parts.endFollowing()
      if (how === 'announced') await setTimeout(announceMs)
      if (how === 'replaced')
        await letClientsMove(keptStreams, stopwatch, setTimeout, { announceMs: movingMs, maxMs: drainMs })
      const { countCalls, countStreams } = parts
      const left = await drain({ doors: running, countCalls, countStreams, wait: setTimeout }, drainMs)
      if (left > 0)
        log.warn({ requests: left }, 'The drain time is over. Requests that were still running were cut off.')
    },
  }
}
