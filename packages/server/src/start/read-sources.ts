// Reads what a start is told by its environment and files, and keeps how each of them is read again.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { loadCatalog } from '../catalog/load-catalog.ts'
import { createReloadableCatalog, type ReloadableCatalog } from '../catalog/reload-catalog.ts'
import type { Config } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import { loadSecrets, readDatabaseUrl, readDirectUrl, type Secrets } from '../config/secrets.ts'
import { readUpstreamKeys, type UpstreamKeys } from '../config/upstream-keys.ts'
import type { ReadinessSurroundings } from '../operate/readiness/create-readiness-checks.ts'
import { listKinds, listSecretFiles, readWholeConfig } from '../operate/readiness/run-doctor.ts'
import type { Variables } from './running-server.ts'

export type Sources = {
  readonly config: Config
  readonly reloadable: ReloadableCatalog
  readonly upstreamKeys: UpstreamKeys
  /** Throws an Error that names the setting at fault. */
  readonly readKeys: () => UpstreamKeys
  /** PostgreSQL; null for the SQLite file in the data folder. */
  readonly databaseUrl: string | null
  /** PostgreSQL itself, where `databaseUrl` leads through a pooler; null for SQLite. */
  readonly directUrl: string | null
  /** Makes and keeps those that are missing. */
  readonly loadSecrets: () => Secrets
  /** What the checks of readiness read again. */
  readonly readiness: Pick<
    ReadinessSurroundings,
    'readConfig' | 'loadCatalog' | 'databaseUrl' | 'directUrl' | 'secretFiles'
  >
}

/** Throws an Error that names the setting or file at fault. */
export function readSources(variables: Variables): Sources {
  const environment = readEnvironment(variables)
  const readConfig = () => readWholeConfig(variables, environment)
  const config = readConfig()
  const readKeys = () => readUpstreamKeys(variables, environment, config.upstreams)
  const loadModels = (text?: string) => loadCatalog(config.modelsFile, listKinds(config), text)
  const upstreamKeys = readKeys()
  const reloadable = createReloadableCatalog(loadModels, () => readFileSync(config.modelsFile))
  const databaseUrl = readDatabaseUrl(environment)
  return {
    config,
    reloadable,
    upstreamKeys,
    readKeys,
    databaseUrl,
    directUrl: readDirectUrl(environment),
    loadSecrets: () => loadSecrets(environment, config, randomBytes),
    readiness: {
      readConfig,
      loadCatalog: () => loadModels(),
      databaseUrl,
      directUrl: readDatabaseUrl(environment, 'DATABASE_DIRECT_URL'),
      secretFiles: listSecretFiles(environment),
    },
  }
}
