// Checks an installation without its server: the configuration, the files, the database and the network.
import { existsSync, readFileSync } from 'node:fs'
import { loadCatalog } from '../../catalog/load-catalog.ts'
import { listKinds } from '../../catalog/upstream-kinds.ts'
import type { Config } from '../../config/config.ts'
import { type Environment, readEnvironment } from '../../config/environment.ts'
import { joinKeyPath, readJoinKey } from '../../config/join-key.ts'
import { readConfig, type Variables } from '../../config/read-config.ts'
import { adminKeyPath } from '../../config/secrets.ts'
import { readUpstreamKeys, type UpstreamKeys } from '../../config/upstream-keys.ts'
import { messageOf } from '../../world/message-of.ts'
import { waitUntil } from '../../world/timers.ts'
import { checkBackups } from './check-backups.ts'
import { createReadinessChecks } from './create-readiness-checks.ts'
import { fault } from './finding.ts'
import { ReadinessBoard } from './readiness-board.ts'
import { priceTrials } from './try-upstream-keys.ts'

const clock = Date.now
const wait = waitUntil

/** A board of everything that can be checked here. `backups`: the folder of backups; null if not given. */
export function createDoctor(variables: Variables, backups: string | null) {
  const environment = readEnvironment(variables)
  let config: Config
  try {
    config = readConfig(variables, environment)
  } catch (error) {
    // Without it nothing else can be checked.
    const finding = fault(messageOf(error), 'Correct the setting. The rest can be checked after that.')
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
    environment,
    readConfig: () => config,
    loadCatalog: loadModels,
    readKeys,
    secrets: readSecrets(environment, config.dataFolder),
    clock,
    stopwatch: () => performance.now(),
    serving: null,
    backups,
  })
  const priceCalls = () => priceTrials({ keys: readKeys, models: () => loadModels().models })
  return { board: new ReadinessBoard({ checks, clock, wait }), priceCalls }
}

/** Only the folder of backups, next to a server that checks the rest itself. */
export function createBackupsBoard(folder: string): ReadinessBoard {
  const checks = new Map([['backups' as const, () => checkBackups(folder, clock())]])
  return new ReadinessBoard({ checks, clock, wait })
}

/** Existing keys only; none are created. A file that cannot be used is a finding of the secrets check. */
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
