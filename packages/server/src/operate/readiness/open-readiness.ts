// Opens the readiness board of a running server: its checks, with facts that only a running server has.
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

/** As the readiness routes read it. */
export type RunningReadiness = ReturnType<typeof openReadiness>

export type Serving = ReturnType<typeof describeServing>

type Parts = {
  readonly sources: Sources
  /** Null if no other process has its own catalog. */
  readonly catalogs: CatalogWatch | null
  readonly upstreams: Pick<Upstreams, 'describeHealth'>
  readonly addresses: DoorAddresses
  readonly directory: Directory
  readonly descriptors: DescriptorWatch
  readonly countUnreadableWebhooks: () => Promise<number>
}

export function openReadiness(world: World, parts: Parts) {
  const { config, wallClock, wait } = world
  const { read } = world.store
  const { sources, addresses, directory } = parts
  const { readKeys, reloadable } = sources
  const board = new ReadinessBoard({
    checks: createReadinessChecks({
      ...world,
      ...sources,
      loadCatalog: () => sources.loadModels(),
      clock: wallClock,
      serving: describeServing(world, parts),
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

/** Facts that only a running server has. */
function describeServing({ store: { read }, sharedDatabase }: World, parts: Parts) {
  const { sources, catalogs, addresses } = parts
  return {
    catalogHash: sources.reloadable.hash,
    countDiffering: () => catalogs?.differing().length ?? 0,
    describeHealth: parts.upstreams.describeHealth,
    readAgreed: async () => {
      const facts = await read.readFacts({ prefix: '', since: 0 })
      return new Map(facts.map(({ name, value }) => [name, value]))
    },
    countProcesses: async () => (sharedDatabase === null ? 1 : (await read.readCatalogHashes(null)).length),
    ports: addresses.listPorts,
    descriptors: parts.descriptors.read,
    countUnreadableWebhooks: parts.countUnreadableWebhooks,
    publicUrls: addresses.ofClients,
  }
}
