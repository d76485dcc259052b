// Reads what a start is told by its environment and files, and keeps how each of them is read again.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readEnvironment } from '../config/environment.ts'
import { readConfig, type Variables } from '../config/read-config.ts'
import { loadSecrets, readDatabaseUrl, readDirectUrl } from '../config/secrets.ts'
import { readUpstreamKeys } from '../config/upstream-keys.ts'
import { loadCatalog } from './load-catalog.ts'
import { createReloadableCatalog } from './reload-catalog.ts'
import { listKinds } from './upstream-kinds.ts'

export type Sources = ReturnType<typeof readSources>

/** Throws an Error that names the setting or file at fault. */
export function readSources(variables: Variables) {
  const environment = readEnvironment(variables)
  const config = readConfig(variables, environment)
  const loadModels = (text?: string) => loadCatalog(config.modelsFile, listKinds(config), text)
  /** Throws an Error that names the setting at fault. */
  const readKeys = () => readUpstreamKeys(variables, environment, config.upstreams)
  const upstreamKeys = readKeys()
  const reloadable = createReloadableCatalog(loadModels, () => readFileSync(config.modelsFile))
  return {
    environment,
    config,
    reloadable,
    upstreamKeys,
    readKeys,
    readConfig: () => readConfig(variables, environment),
    loadModels,
    /** PostgreSQL; null for the SQLite file in the data folder. */
    databaseUrl: readDatabaseUrl(environment),
    /** PostgreSQL itself, where `databaseUrl` leads through a pooler; null for SQLite. */
    directUrl: readDirectUrl(environment),
    /** Makes and keeps those that are missing. */
    loadSecrets: () => loadSecrets(environment, config, randomBytes),
  }
}
