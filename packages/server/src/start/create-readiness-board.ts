// Makes the board of readiness of a server that runs: its checks, with what only a running server can tell them.
import type { FirstStep } from '@fairgate/contracts/management/first-steps.ts'
import type { CatalogWatch } from '../catalog/watch-catalogs.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Directory } from '../directory/create-directory.ts'
import { isDemoTeam } from '../directory/demo-team.ts'
import { createReadinessChecks } from '../operate/readiness/create-readiness-checks.ts'
import { readLastRuns } from '../operate/readiness/last-runs.ts'
import { listFirstSteps } from '../operate/readiness/list-first-steps.ts'
import { ReadinessBoard } from '../operate/readiness/readiness-board.ts'
import { priceTrials } from '../operate/readiness/try-upstream-keys.ts'
import type { DoorAddresses } from '../process/door-addresses.ts'
import type { DescriptorFacts } from '../process/watch-descriptors.ts'
import type { Store } from '../store/store.ts'
import type { Upstreams } from '../upstream/create-upstreams.ts'
import type { ServerTime } from '../world/server-time.ts'
import { waitUntil } from '../world/timers.ts'
import type { Place } from './open-place.ts'
import type { Sources } from './read-sources.ts'

export type ReadinessBoardParts = {
  readonly sources: Pick<Sources, 'config' | 'readKeys' | 'reloadable' | 'readiness'>
  readonly secrets: Secrets
  readonly place: Pick<Place, 'sharedDatabase'> & {
    readonly store: {
      readonly read: Pick<Store['read'], 'readFacts' | 'readCatalogHashes' | 'listClaims' | 'listAdminKeys'>
    }
  }
  /** Null where no other process has a catalog of its own. */
  readonly catalogs: Pick<CatalogWatch, 'differing'> | null
  readonly upstreams: Pick<Upstreams, 'describeHealth'>
  readonly addresses: DoorAddresses
  readonly directory: Pick<Directory, 'teams' | 'keysOfTeam' | 'event'>
  readonly readDescriptors: () => DescriptorFacts
  readonly countUnreadableWebhooks: () => Promise<number>
  readonly time: ServerTime
}

/** As the routes of readiness read it. */
export type RunningReadiness = {
  readonly board: ReadinessBoard
  readonly isSandbox: boolean
  readonly readFirstSteps: () => Promise<{ readonly items: FirstStep[]; readonly hasBegun: boolean }>
  readonly priceCalls: () => ReturnType<typeof priceTrials>
}

export function createReadinessBoard(parts: ReadinessBoardParts): RunningReadiness {
  const { sources, secrets, place, catalogs, upstreams, addresses, directory, readDescriptors, time } = parts
  const { config, readKeys, reloadable } = sources
  const { read } = place.store
  const board = new ReadinessBoard({
    checks: createReadinessChecks({
      ...sources.readiness,
      config,
      readKeys,
      secrets,
      clock: time.wallClock,
      stopwatch: time.stopwatch,
      fetch,
      serving: {
        catalogHash: reloadable.hash,
        countDiffering: () => catalogs?.differing().length ?? 0,
        describeHealth: upstreams.describeHealth,
        readAgreed: async () => {
          const facts = await read.readFacts({ prefix: '', since: 0 })
          return new Map(facts.map(({ name, value }) => [name, value]))
        },
        countProcesses: async () =>
          place.sharedDatabase === null ? 1 : (await read.readCatalogHashes(null)).length,
        ports: addresses.listPorts,
        descriptors: readDescriptors,
        countUnreadableWebhooks: parts.countUnreadableWebhooks,
        publicUrls: addresses.ofClients,
      },
      backups: null,
    }),
    clock: time.wallClock,
    wait: waitUntil,
  })
  return {
    board,
    isSandbox: config.vendor === null,
    readFirstSteps: async () => {
      const event = directory.event()
      const everyClaim = { teamId: null, workingAt: null, after: null, limit: 100_000 }
      const [claims, adminKeys] = await Promise.all([read.listClaims(everyClaim), read.listAdminKeys(null)])
      const withCode = new Set(claims.map(({ team_id }) => team_id))
      const teams = directory
        .teams()
        .filter(team => team.blocked !== true && !isDemoTeam(team))
        .map(({ teamId }) => ({ hasAccess: withCode.has(teamId) || directory.keysOfTeam(teamId).length > 0 }))
      const items = listFirstSteps({
        event,
        teams,
        vendorUrl: config.vendor?.baseUrl ?? null,
        publicUrls: addresses.ofClients(),
        adminKeys: adminKeys.length,
        lastRuns: readLastRuns(config.dataFolder),
      })
      const [first] = event.phases
      return { items, hasBegun: first !== undefined && first.from <= time.wallClock() }
    },
    priceCalls: () => priceTrials({ keys: readKeys, models: () => reloadable.catalog.models }),
  }
}
