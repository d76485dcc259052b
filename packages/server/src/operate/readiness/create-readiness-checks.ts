// Composes the readiness checks from the configuration: the same for a running server and for `fairgate doctor` without one.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sources } from '../../catalog/read-sources.ts'
import { hashCatalog } from '../../catalog/reload-catalog.ts'
import type { Catalog } from '../../catalog/types.ts'
import type { Config } from '../../config/config.ts'
import { digestAdminKey, digestJoinKey, joinKeyPath } from '../../config/join-key.ts'
import { adminKeyPath, readDatabaseUrl } from '../../config/secrets.ts'
import type { UpstreamKeys } from '../../config/upstream-keys.ts'
import { createProcessFigures } from '../../http/process-figures.ts'
import type { DescriptorFacts } from '../../process/watch-descriptors.ts'
import { inspectPostgres, type PostgresFacts } from '../../store/postgres/inspect-server.ts'
import { inspectSqlite, type SqliteFacts } from '../../store/sqlite/inspect-file.ts'
import { messageOf } from '../../world/message-of.ts'
import type { World } from '../../world/world.ts'
import { addressProbes, checkAddress } from './check-addresses.ts'
import { checkBackups } from './check-backups.ts'
import { checkCatalog } from './check-catalog.ts'
import { checkDirectUrl, checkPostgres, checkSqlite } from './check-database.ts'
import {
  type ClockReading,
  checkClock,
  checkDescriptors,
  checkDisk,
  checkPorts,
  type PortPlace,
  readClock,
  timeFlushes,
} from './check-machine.ts'
import { checkProcesses, checkSecrets, judgeWebhookSecrets, type SecretPlace } from './check-secrets.ts'
import { judgeHealth, judgeTrials } from './check-upstreams.ts'
import { type Check, type Checks, type Finding, type Found, fault, ok, warning } from './finding.ts'
import type { Serving } from './open-readiness.ts'
import { tryUpstreamKeys } from './try-upstream-keys.ts'
import { readDiskSpace } from './watch-disk.ts'

export type ReadinessSurroundings = Pick<World, 'clock' | 'stopwatch'> &
  /** `readConfig` and `readKeys` read what the next start would read. */
  Pick<Sources, 'config' | 'environment' | 'readConfig' | 'readKeys'> & {
    readonly loadCatalog: () => Catalog
    readonly secrets: {
      readonly joinKey: Uint8Array | null
      readonly joinKeyPlace: string
      readonly adminKey: string | null
    }
    /** Null without a server. */
    readonly serving: Serving | null
    /** Where backups are kept; null if not given. */
    readonly backups: string | null
  }

export function createReadinessChecks(surroundings: ReadinessSurroundings): Checks {
  const { config, environment, serving, clock, stopwatch, backups } = surroundings
  const databaseUrl = readDatabaseUrl(environment)
  const directUrl = readDatabaseUrl(environment, 'DATABASE_DIRECT_URL')
  const checks: [Parameters<Checks['get']>[0], Check][] = [
    ['configuration', async () => checkConfiguration(surroundings)],
    [
      'catalog',
      async () =>
        checkCatalog({
          load: surroundings.loadCatalog,
          inForce:
            serving === null
              ? null
              : {
                  hash: serving.catalogHash,
                  hashOfFile: () => hashCatalog(readFileSync(config.modelsFile)),
                  differing: serving.countDiffering,
                },
          now: clock(),
        }),
    ],
    ['upstreams', ({ calls }) => checkUpstreams(surroundings, calls)],
    [
      'database',
      async () => {
        if (databaseUrl === null)
          return checkSqlite(inspectOwnSqlite(config.dataFolder, serving !== null), serving !== null)
        const found = await tryPostgres(databaseUrl, 'DATABASE_URL', clock)
        if ('state' in found) return found
        const isServing = serving !== null
        const findings = checkPostgres(found, { isServing, hasDirectUrl: directUrl !== null })
        if (directUrl === null) return findings
        const direct = await tryPostgres(directUrl, 'DATABASE_DIRECT_URL', clock)
        return [findings, 'state' in direct ? direct : checkDirectUrl(found, direct)].flat()
      },
    ],
    ['clock', async () => checkClock(await readClocks(surroundings))],
    [
      'disk',
      async () =>
        checkDisk({
          folder: config.dataFolder,
          ...(await readDiskSpace(config.dataFolder)),
          warnBelowBytes: config.settings.warn_free_mebibytes * mebibyte,
          flushMs: await timeFlushes(config.dataFolder, stopwatch),
          hasDatabase: databaseUrl === null,
        }),
    ],
    ['addresses', () => checkAddresses(surroundings)],
    [
      'secrets',
      async () => {
        const unreadable = (await serving?.countUnreadableWebhooks()) ?? 0
        return [await checkSecrets(listSecretPlaces(surroundings)), judgeWebhookSecrets(unreadable)].flat()
      },
    ],
    ['ports', () => checkPorts(serving?.ports() ?? listPorts(config), serving !== null)],
    ['descriptors', async () => checkDescriptors(serving?.descriptors() ?? describeOwn(), serving !== null)],
    ['processes', () => checkAgreement(surroundings)],
  ]
  if (backups !== null) checks.push(['backups', () => checkBackups(backups, clock())])
  return new Map(checks)
}

const mebibyte = 1024 * 1024

function describeOwn(): DescriptorFacts {
  const { maximumDescriptors, openDescriptors } = createProcessFigures()
  return { limit: maximumDescriptors, open: openDescriptors(), reserve: null, isHolding: false }
}

function checkConfiguration({ config, readConfig, serving }: ReadinessSurroundings): Found {
  try {
    const next = readConfig()
    if (serving === null || JSON.stringify(next.settings) === JSON.stringify(config.settings))
      return ok(`the settings are valid; data goes to ${next.dataFolder}`)
    return warning(
      'the settings file was changed after the start; the changes do not apply yet',
      'Restart the server (docs/restarting.md).',
    )
  } catch (error) {
    return fault(
      messageOf(error),
      serving === null ? 'Correct the setting.' : 'Correct the setting, or the server will not start again.',
    )
  }
}

async function checkUpstreams(
  { config, readKeys, loadCatalog, clock, serving }: ReadinessSurroundings,
  calls: boolean,
): Promise<Found> {
  const isSandbox = config.vendor === null
  let keys: UpstreamKeys
  try {
    keys = readKeys()
  } catch (error) {
    return fault(messageOf(error), 'Put the key there. A running server keeps the keys that it has.')
  }
  if (calls) {
    const models = loadCatalog().models
    return judgeTrials(await tryUpstreamKeys({ config, keys, models, clock }), isSandbox)
  }
  if (serving !== null) return judgeHealth(serving.describeHealth(), isSandbox)
  const counts = [...keys].map(([name, own]) => ok(`${name}: ${own?.length ?? 'no'} keys, not tried`))
  return isSandbox ? judgeHealth([], true).concat(counts) : counts
}

/** The facts, or the reason why there are none. The driver's messages never contain the address's password. */
async function tryPostgres(url: string, name: string, clock: () => number): Promise<PostgresFacts | Finding> {
  try {
    return await inspectPostgres(url, clock)
  } catch (error) {
    return fault(
      `the database of ${name} cannot be used: ${messageOf(error)}`,
      `Start PostgreSQL, or correct ${name} (address, user, password, pg_hba.conf).`,
    )
  }
}

/** For a running server, only checks that the file still exists: its own threads watch the rest. */
function inspectOwnSqlite(folder: string, isServing: boolean): SqliteFacts {
  const path = join(folder, 'fairgate.db')
  if (isServing)
    return { path, exists: existsSync(path), journalMode: null, isLocked: null, agreed: new Map() }
  return inspectSqlite(folder, path)
}

/** A Date header has whole seconds. */
const headerResolutionMs = 1000
const patienceMs = 5000

async function readClocks({ config, environment, clock }: ReadinessSurroundings): Promise<ClockReading[]> {
  const databaseUrl = readDatabaseUrl(environment)
  const database = async (): Promise<ClockReading[]> => {
    if (databaseUrl === null) return []
    const facts = await inspectPostgres(databaseUrl, clock).catch(() => null)
    return facts === null ? [] : [readClock('the database', facts.clock, 0)]
  }
  const ofUpstream = async (name: string, url: string): Promise<ClockReading[]> => {
    const before = clock()
    const signal = AbortSignal.timeout(patienceMs)
    const response = await fetch(url, { method: 'HEAD', redirect: 'manual', signal }).catch(() => null)
    const after = clock()
    await response?.body?.cancel()
    const said = Date.parse(response?.headers.get('date') ?? '')
    if (Number.isNaN(said)) return []
    return [readClock(`the upstream ${name}`, { before, said, after }, headerResolutionMs)]
  }
  const places: [string, string][] = [
    ...(config.vendor === null ? [] : [['vendor', config.vendor.baseUrl] as [string, string]]),
    ...config.upstreams.map(({ name, baseUrl }) => [name, baseUrl] as [string, string]),
  ]
  const readings = await Promise.all([database(), ...places.map(place => ofUpstream(...place))])
  return readings.flat()
}

async function checkAddresses({ config, serving, clock }: ReadinessSurroundings): Promise<Found> {
  const urls = serving?.publicUrls() ?? {
    gateway: config.doors.gateway.publicUrl,
    logbook: config.doors.logbook.publicUrl,
  }
  const doors = [
    { door: 'gateway', url: urls.gateway, setting: 'FAIRGATE_GATEWAY_URL' },
    { door: 'logbook', url: urls.logbook, setting: 'FAIRGATE_LOGBOOK_URL' },
  ] as const
  const isServing = serving !== null
  const found = await Promise.all(
    doors.map(address => {
      // A door that another machine serves may answer too, but need not.
      const isOpen = config.openDoors.includes(address.door)
      return checkAddress(address, addressProbes, { now: clock(), isServing: isServing && isOpen })
    }),
  )
  return found.flat()
}

function listSecretPlaces({ config, environment }: ReadinessSurroundings): SecretPlace[] {
  const { dataFolder, upstreams } = config
  const data = readDatabaseUrl(environment) === null ? 'the database' : 'secrets and videos'
  const named = [
    ...upstreams.map(({ name, keyFile }) => [keyFile, `the keys of ${name}`] as const),
    [environment.VENDOR_API_KEY_FILE, "the vendor's keys"],
    [environment.FAIRGATE_TLS_KEY, 'the key of the certificate'],
    [environment.FAIRGATE_JOIN_KEY_FILE, 'the join key'],
    [environment.FAIRGATE_S3_SECRET_ACCESS_KEY_FILE, 'the key of the object store'],
  ] as const
  return [
    { path: dataFolder, holds: data, isFolder: true, isMadeAtStart: true },
    { path: adminKeyPath(dataFolder), holds: 'the admin key', isFolder: false, isMadeAtStart: true },
    { path: joinKeyPath(dataFolder), holds: 'the join key', isFolder: false, isMadeAtStart: true },
    ...named.flatMap(([path, holds]) =>
      path == null ? [] : [{ path, holds, isFolder: false, isMadeAtStart: false }],
    ),
  ]
}

function listPorts({ doors, openDoors, metrics }: Config): PortPlace[] {
  const ofDoors = openDoors.map(name => ({ name, host: doors[name].host, port: doors[name].port }))
  return metrics === null ? ofDoors : [...ofDoors, { name: 'metrics', ...metrics }]
}

async function checkAgreement({
  serving,
  config,
  environment,
  secrets,
  clock,
}: ReadinessSurroundings): Promise<Found> {
  const databaseUrl = readDatabaseUrl(environment)
  const agreed = await readAgreed()
  const { joinKey, joinKeyPlace, adminKey } = secrets
  return checkProcesses({
    joinKey: {
      here: joinKey === null ? null : digestJoinKey(joinKey),
      inDatabase: agreed.get('join-key') ?? null,
    },
    adminKey: {
      here: joinKey === null || adminKey === null ? null : digestAdminKey(joinKey, adminKey),
      inDatabase: agreed.get('admin-key') ?? null,
    },
    joinKeyPlace,
    processes: serving === null ? null : await serving.countProcesses(),
  })

  async function readAgreed(): Promise<ReadonlyMap<string, string>> {
    if (serving !== null) return serving.readAgreed()
    if (databaseUrl !== null) return (await inspectPostgres(databaseUrl, clock)).agreed
    return inspectOwnSqlite(config.dataFolder, false).agreed
  }
}
