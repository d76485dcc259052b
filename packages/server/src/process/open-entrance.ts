// Opens what all doors share: their readiness, their addresses, and the factory for doors. Each room defines the purpose, the callers and
// the answers of its own door.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Config } from '../config/config.ts'
import { createTrustedAddresses } from '../config/listener-settings.ts'
import { resolveTimeouts } from '../config/upstream-settings.ts'
import { createClientAddress } from '../http/client-address.ts'
import { createDoor, type Door, type DoorOptions } from '../http/create-door.ts'
import { createFailedAuthThrottle } from '../http/failed-auth-throttle.ts'
import type { LogAccess } from '../http/log-access.ts'
import { answerMetrics } from '../http/metrics.ts'
import type { StreamLimits } from '../http/server-sent-events.ts'
import { isReportedByStore } from '../store/store-unavailable.ts'
import { PatientTimers } from '../world/patient-timers.ts'
import type { World } from '../world/world.ts'
import { createBodies } from './create-bodies.ts'
import { KeptStreams } from './drain.ts'
import { DoorAddresses } from './listen.ts'
import { Readiness } from './readiness.ts'
import type { Membership, Place } from './running-server.ts'
import { serveMetrics } from './serve-metrics.ts'
import { openDescriptorWatch } from './watch-descriptors.ts'

/** The options that each door defines itself. */
type OwnDoor<Caller> = Omit<DoorOptions<Caller>, keyof Common | 'publicUrl' | 'bodies' | 'streamLimits'> & {
  /** The owner for counting bodies. */
  readonly ownerOf: (caller: Caller) => string
  /** The team for counting work; by default the owner. */
  readonly teamOf?: (caller: Caller) => string
  /** Sees each request of this door when its reply has ended; by default the log alone. */
  readonly logAccess?: LogAccess
  /** Max duration of a stream; by default as long as an upstream may take, and then its client for the rest. */
  readonly longestStreamMs?: number
}

export type MakeDoor = <Caller>(own: OwnDoor<Caller>) => Door

export type Entrance = ReturnType<typeof openEntrance>

/** `scrape`: the figures of all processes as one; null if this process only has its own. */
export function openEntrance(world: World, place: Place, scrape: Membership['scrape'] | null) {
  const { config, metrics, stopwatch, onStop } = world
  const readiness = new Readiness()
  onStop(() => readiness.enter('stopped'))
  const keptStreams = new KeptStreams(stopwatch)
  const answerScrape = () => answerMetrics(scrape ?? metrics.render)
  return {
    place,
    readiness,
    keptStreams,
    addresses: new DoorAddresses(config.doors),
    descriptors: openDescriptorWatch(world),
    makeDoor: createDoorMaker(world, readiness, keptStreams),
    /** The page of a scrape. */
    answerScrape,
    metricsAddress: serveMetrics(world, place, readiness, answerScrape),
  }
}

type Common = ReturnType<typeof buildCommon>

/** Options that all doors share. */
function buildCommon(world: World, readiness: Readiness, keptConnections: KeptStreams) {
  const { config, metrics, log, logAccess, newId, clock, stopwatch } = world
  return {
    log,
    logAccess,
    newCallId: newId,
    isDraining: readiness.isDraining,
    whyNotReady: readiness.whyNot,
    // The store has logged its failure, so requests refused only because of it need no further line.
    isReported: (error: unknown) =>
      isReportedByStore(error) || (isPlainRefusal(error) && readiness.whyNot() !== null),
    stopwatch,
    readClientAddress: createClientAddress(createTrustedAddresses(config.trustedProxies)),
    observe: metrics.observeRequest,
    streamTimers: new PatientTimers(),
    observeCutStream: metrics.observeCutStream,
    keptConnections,
    // Failures count at all doors together.
    slowFailure: createFailedAuthThrottle({ clock, wait: world.wait }),
  }
}

function createDoorMaker(world: World, readiness: Readiness, keptConnections: KeptStreams): MakeDoor {
  const { config, metrics } = world
  const streamLimits = readStreamLimits(config)
  const common = buildCommon(world, readiness, keptConnections)
  const bodiesOf = createBodies(config.settings, metrics)
  return ({ ownerOf, teamOf, longestStreamMs = streamLimits.longestMs, ...own }) =>
    createDoor({
      ...common,
      ...own,
      publicUrl: config.doors[own.name].publicUrl,
      bodies: bodiesOf(own.name, ownerOf, teamOf),
      streamLimits: { ...streamLimits, longestMs: longestStreamMs },
    })
}

function isPlainRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unavailable' && error.cause === undefined
}

function readStreamLimits({ settings, upstreams }: Config): StreamLimits {
  const { stalled_client_seconds: stalledSeconds } = settings.limits
  const timeouts = [resolveTimeouts(settings.upstream), ...upstreams.map(entry => entry.timeouts)]
  return { stalledSeconds, longestMs: Math.max(...timeouts.map(({ chat }) => chat)) + stalledSeconds * 1000 }
}
