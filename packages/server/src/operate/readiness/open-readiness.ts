// Opens the board of readiness of a server that runs: its checks, with what only a running server can tell them.
import type { FirstStep } from '@fairgate/contracts/management/first-steps.ts'
import type { Sources } from '../../catalog/read-sources.ts'
import type { CatalogWatch } from '../../catalog/watch-catalogs.ts'
import type { Directory } from '../../directory/create-directory.ts'
import { isDemoTeam } from '../../directory/demo-team.ts'
import type { DoorAddresses } from '../../process/listen.ts'
import type { DescriptorWatch } from '../../process/watch-descriptors.ts'
import type { Upstreams } from '../../upstream/open-upstreams.ts'
import type { World } from '../../world/world.ts'
import { createReadinessChecks } from './create-readiness-checks.ts'
import { readLastRuns } from './last-runs.ts'
import { listFirstSteps } from './list-first-steps.ts'
import { ReadinessBoard } from './readiness-board.ts'
import { priceTrials } from './try-upstream-keys.ts'

/** As the routes of readiness read it. */
export type RunningReadiness = {
  readonly board: ReadinessBoard
  readonly isSandbox: boolean
  readonly readFirstSteps: () => Promise<{ readonly items: FirstStep[]; readonly hasBegun: boolean }>
  readonly priceCalls: () => ReturnType<typeof priceTrials>
}

export function openReadiness(
  world: World,
  parts: {
    readonly sources: Sources
    /** Null where no other process has a catalog of its own. */
    readonly catalogs: CatalogWatch | null
    readonly upstreams: Pick<Upstreams, 'describeHealth'>
    readonly addresses: DoorAddresses
    readonly directory: Directory
    readonly descriptors: DescriptorWatch
    readonly countUnreadableWebhooks: () => Promise<number>
  },
): RunningReadiness {
  const { config, store, sharedDatabase, wallClock, wait } = world
  const { sources, catalogs, upstreams, addresses, directory } = parts
  const { readKeys, reloadable } = sources
  const { read } = store
  const board = new ReadinessBoard({
    checks: createReadinessChecks({
      ...world,
      ...sources,
      loadCatalog: () => sources.loadModels(),
      clock: wallClock,
      serving: {
        catalogHash: reloadable.hash,
        countDiffering: () => catalogs?.differing().length ?? 0,
        describeHealth: upstreams.describeHealth,
        readAgreed: async () => {
          const facts = await read.readFacts({ prefix: '', since: 0 })
          return new Map(facts.map(({ name, value }) => [name, value]))
        },
        countProcesses: async () =>
          sharedDatabase === null ? 1 : (await read.readCatalogHashes(null)).length,
        ports: addresses.listPorts,
        descriptors: parts.descriptors.read,
        countUnreadableWebhooks: parts.countUnreadableWebhooks,
        publicUrls: addresses.ofClients,
      },
      backups: null,
    }),
    clock: wallClock,
    wait,
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
      return { items, hasBegun: first !== undefined && first.from <= wallClock() }
    },
    priceCalls: () => priceTrials({ keys: readKeys, models: () => reloadable.catalog.models }),
  }
}
