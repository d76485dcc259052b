// Reads the process environment as plain strings. Nothing else in the server touches process.env.
import { describeSuggestion, suggestName } from './suggest-name.ts'

const settingNames = [
  'FAIRGATE_CONFIG',
  'FAIRGATE_DATA_DIR',
  'FAIRGATE_DOORS',
  'FAIRGATE_PROCESSES',
  'FAIRGATE_HOST',
  'FAIRGATE_ADMIN_HOST',
  'FAIRGATE_GATEWAY_PORT',
  'FAIRGATE_LOGBOOK_PORT',
  'FAIRGATE_ADMIN_PORT',
  'FAIRGATE_METRICS_HOST',
  'FAIRGATE_METRICS_PORT',
  'FAIRGATE_ADMIN_KEY',
  'FAIRGATE_JOIN_KEY',
  'FAIRGATE_JOIN_KEY_FILE',
  'FAIRGATE_ACCEPT_JOIN_KEY',
  'FAIRGATE_S3_ACCESS_KEY_ID',
  'FAIRGATE_S3_SECRET_ACCESS_KEY',
  'FAIRGATE_S3_SECRET_ACCESS_KEY_FILE',
  'FAIRGATE_GATEWAY_URL',
  'FAIRGATE_LOGBOOK_URL',
  'FAIRGATE_JUDGING_URL',
  'FAIRGATE_TRUSTED_PROXIES',
  'FAIRGATE_ADMIN_HOSTS',
  'FAIRGATE_TLS_CERT',
  'FAIRGATE_TLS_KEY',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'VENDOR_API_KEY',
  'VENDOR_API_KEY_FILE',
  'VENDOR_BASE_URL',
  // Standard variables of OpenTelemetry. Its SDK reads these and others itself; here they only decide whether it is loaded.
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
  'OTEL_SDK_DISABLED',
  'OTEL_TRACES_EXPORTER',
] as const

/** Read by the command line and the recorder. Known here so that they do not stop a server in the same shell. */
const clientNames = [
  'FAIRGATE_ADMIN_URL',
  'FAIRGATE_PUSH_SECONDS',
  'FAIRGATE_RECORDER',
  'FAIRGATE_RECORDER_FOLDER',
]

const ownState = 'Fairgate keeps limits in its process and data in SQLite or PostgreSQL (DATABASE_URL)'

/** Often set out of habit. A server refuses to start with them, because they would have no effect. */
const idleNames: Readonly<Record<string, string>> = {
  REDIS_URL: ownState,
  REDIS_HOST: ownState,
  VALKEY_URL: ownState,
}

export type SettingName = (typeof settingNames)[number]
export type Environment = Readonly<Partial<Record<SettingName, string>>>

/** The settings that are set. Empty values count as not set. */
export function readEnvironment(variables: Readonly<Record<string, string | undefined>>): Environment {
  return Object.fromEntries(
    settingNames.flatMap(name => {
      const value = variables[name]?.trim()
      return value ? [[name, value]] : []
    }),
  )
}

/**
 * Throws an Error that names every unknown `FAIRGATE_…` or `VENDOR_…` variable, and every one without effect. `keyVariables`: the variables
 * that the settings file names for the keys of upstreams.
 */
export function refuseUnknownVariables(
  variables: Readonly<Record<string, string | undefined>>,
  keyVariables: readonly (string | null)[],
): void {
  const known: readonly string[] = [...settingNames, ...clientNames]
  const faults = Object.entries(variables).flatMap(([name, value]) => {
    if ((value ?? '').trim() === '' || known.includes(name) || keyVariables.includes(name)) return []
    if (Object.hasOwn(idleNames, name)) return [`${name} has no effect here: ${idleNames[name]}.`]
    if (!/^(FAIRGATE|VENDOR)_/.test(name)) return []
    return [`Unknown setting ${name}${describeSuggestion(suggestName(name, known))}.`]
  })
  if (faults.length > 0) throw new Error(`${faults.join(' ')} Known: ${known.join(', ')}.`)
}

/** Splits a comma-separated setting. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}
