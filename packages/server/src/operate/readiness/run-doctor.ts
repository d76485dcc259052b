// Checks an installation without its server: what can be learned from the configuration, the files, the database and the network.
import { existsSync, readFileSync } from 'node:fs'
import { loadCatalog } from '../../catalog/load-catalog.ts'
import type { UpstreamKinds } from '../../catalog/upstream-kinds.ts'
import { buildConfig, type Config } from '../../config/config.ts'
import { type Environment, readEnvironment, refuseUnknownVariables } from '../../config/environment.ts'
import { joinKeyPath, readJoinKey } from '../../config/join-key.ts'
import { adminKeyPath, readDatabaseUrl, readDirectUrl } from '../../config/secrets.ts'
import { readUpstreamKeys, type UpstreamKeys } from '../../config/upstream-keys.ts'
import { messageOf } from '../../world/message-of.ts'
import { checkBackups } from './check-backups.ts'
import type { SecretPlace } from './check-secrets.ts'
import { createReadinessChecks } from './create-readiness-checks.ts'
import { fault, type Wait } from './finding.ts'
import { ReadinessBoard } from './readiness-board.ts'
import { priceTrials } from './try-upstream-keys.ts'

type Variables = Readonly<Record<string, string | undefined>>

export type DoctorDependencies = {
  /** Unix ms. */
  readonly clock: () => number
  readonly stopwatch: () => number
  readonly wait: Wait
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

/** What the start reads, with all its checks. Throws an Error that names the setting at fault. */
export function readWholeConfig(variables: Variables, environment: Environment): Config {
  const config = buildConfig(environment)
  refuseUnknownVariables(
    variables,
    config.upstreams.map(({ keyVariable }) => keyVariable),
  )
  readDatabaseUrl(environment)
  readDirectUrl(environment)
  return config
}

export function listKinds({ upstreams }: Pick<Config, 'upstreams'>): UpstreamKinds {
  return new Map([['vendor', 'vendor'], ...upstreams.map(({ name, kind }) => [name, kind] as const)])
}

/** The files with secrets that variables name. */
export function listSecretFiles(environment: Environment): SecretPlace[] {
  const named = [
    [environment.VENDOR_API_KEY_FILE, 'the keys of the vendor'],
    [environment.FAIRGATE_TLS_KEY, 'the key of the certificate'],
    [environment.FAIRGATE_JOIN_KEY_FILE, 'the join key'],
    [environment.FAIRGATE_S3_SECRET_ACCESS_KEY_FILE, 'the key of the object store'],
  ] as const
  return named.flatMap(([path, holds]) =>
    path === undefined ? [] : [{ path, holds, isFolder: false, isMadeAtStart: false }],
  )
}

/** A board of all that can be checked here. `backups`: the folder of backups; null where nobody named one. */
export function createDoctor(
  variables: Variables,
  backups: string | null,
  { clock, stopwatch, wait, fetch }: DoctorDependencies,
) {
  const environment = readEnvironment(variables)
  let config: Config
  try {
    config = readWholeConfig(variables, environment)
  } catch (error) {
    // Nothing else can be looked for without it.
    const finding = fault(messageOf(error), 'Correct the setting. The rest is checked when it is right.')
    const checks = new Map([['configuration' as const, async () => [finding]]])
    return {
      board: new ReadinessBoard({ checks, clock, wait }),
      priceCalls: () => ({ calls: 0, costNano: 0 }),
    }
  }
  const loadModels = () => loadCatalog(config.modelsFile, listKinds(config))
  const readKeys = (): UpstreamKeys => readUpstreamKeys(variables, environment, config.upstreams)
  const checks = createReadinessChecks({
    config,
    readConfig: () => config,
    loadCatalog: loadModels,
    readKeys,
    databaseUrl: readDatabaseUrl(environment),
    directUrl: readDatabaseUrl(environment, 'DATABASE_DIRECT_URL'),
    secrets: readSecrets(environment, config.dataFolder),
    secretFiles: listSecretFiles(environment),
    clock,
    stopwatch,
    fetch,
    serving: null,
    backups,
  })
  const priceCalls = () => priceTrials({ keys: readKeys, models: () => loadModels().models })
  return { board: new ReadinessBoard({ checks, clock, wait }), priceCalls }
}

/** The folder of backups alone, beside a server that checks the rest itself. */
export function createBackupsBoard(
  folder: string,
  { clock, wait }: Pick<DoctorDependencies, 'clock' | 'wait'>,
): ReadinessBoard {
  const checks = new Map([['backups' as const, () => checkBackups(folder, clock())]])
  return new ReadinessBoard({ checks, clock, wait })
}

/** What is there already; nothing is made. A file that cannot be used is a finding of the check of secrets. */
function readSecrets(environment: Environment, dataFolder: string) {
  const place = environment.FAIRGATE_JOIN_KEY_FILE ?? joinKeyPath(dataFolder)
  const given = environment.FAIRGATE_JOIN_KEY ?? readIfThere(place)
  return {
    joinKey: given === null ? null : parseJoinKey(given),
    joinKeyPlace: environment.FAIRGATE_JOIN_KEY === undefined ? place : 'FAIRGATE_JOIN_KEY',
    adminKey: environment.FAIRGATE_ADMIN_KEY ?? readIfThere(adminKeyPath(dataFolder)),
  }
}

function parseJoinKey(text: string): Uint8Array | null {
  try {
    return readJoinKey(text)
  } catch {
    return null
  }
}

function readIfThere(path: string): string | null {
  try {
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : null
  } catch {
    return null
  }
}
