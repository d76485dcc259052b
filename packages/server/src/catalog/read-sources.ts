// Reads the environment and files at a start, and keeps the functions that read each of them again.
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

/** Throws an Error that names the faulty setting or file. */
export function readSources(variables: Variables) {
  const environment = readEnvironment(variables)
  const config = readConfig(variables, environment)
  const loadModels = (text?: string) => loadCatalog(config.modelsFile, listKinds(config), text)
  /** Throws an Error that names the faulty setting. */
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
    /** PostgreSQL itself, if `databaseUrl` leads through a pooler; null for SQLite. */
    directUrl: readDirectUrl(environment),
    /** Creates missing ones. */
    loadSecrets: () => loadSecrets(environment, config, randomBytes),
  }
}
