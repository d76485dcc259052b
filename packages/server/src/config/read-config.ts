// Reads the configuration from the environment and the settings file, with all checks.
import { buildConfig, type Config } from './config.ts'
import { type Environment, refuseUnknownVariables } from './environment.ts'
import { readDatabaseUrl, readDirectUrl } from './secrets.ts'

export type Variables = Readonly<Record<string, string | undefined>>

/** Throws an Error that names the setting at fault. */
export function readConfig(variables: Variables, environment: Environment): Config {
  const config = buildConfig(environment)
  refuseUnknownVariables(
    variables,
    config.upstreams.map(({ keyVariable }) => keyVariable),
  )
  readDatabaseUrl(environment)
  readDirectUrl(environment)
  return config
}
