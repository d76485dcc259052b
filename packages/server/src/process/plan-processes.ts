// Decides how many processes serve, from the requested number and what settings, database and system allow, and what they share.
import { availableParallelism } from 'node:os'
import { startSandbox } from '@fairgate/sandbox/start-sandbox.ts'
import { buildConfig } from '../config/config.ts'
import { type Environment, readEnvironment } from '../config/environment.ts'
import { readDatabaseUrl } from '../config/secrets.ts'
import type { Ports } from './protocol.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** `option`: from the command line; overrides FAIRGATE_PROCESSES. Throws an Error that names what is wrong. */
export function planProcesses(variables: Variables, option: ProcessesSetting | null): number {
  const environment = readEnvironment(variables)
  const asked = option ?? readProcesses(environment)
  if (asked === 1) return 1
  return countProcesses(asked, {
    whyOnlyOne: whyOnlyOne(readDatabaseUrl(environment)),
    platform: process.platform,
    cores: availableParallelism(),
  })
}

/**
 * Throws an Error if nothing would end the server to be replaced: the new one does not wait for a database that both can use, and only the
 * launcher asks the old one to leave (scripts/hand-over.mjs).
 */
export function requireTakeOver(variables: Variables, hasLauncher: boolean): void {
  if (hasLauncher || whyOnlyOne(readDatabaseUrl(readEnvironment(variables))) !== null) return
  throw new Error(
    '--take-over would leave both servers running, because multiple servers can use this database. Send SIGUSR2 to the launcher of the running server (kill -USR2, systemctl reload fairgate): it starts a new server and stops the old one.',
  )
}

function readProcesses({ FAIRGATE_PROCESSES: text = '1' }: Environment): ProcessesSetting {
  const setting = parseProcesses(text)
  if (setting === null) throw new Error(`FAIRGATE_PROCESSES ${processesRule}, not "${text}".`)
  return setting
}

/** The sandbox of all processes; null if the settings name a vendor. It knows no key until a process registers one. */
export function startSharedSandbox(variables: Variables) {
  const { vendor } = buildConfig(readEnvironment(variables))
  return vendor === null ? startSandbox({ port: 0, keys: [] }) : null
}

const portVariables = {
  gateway: 'FAIRGATE_GATEWAY_PORT',
  logbook: 'FAIRGATE_LOGBOOK_PORT',
  admin: 'FAIRGATE_ADMIN_PORT',
  metrics: 'FAIRGATE_METRICS_PORT',
} as const satisfies Record<keyof Ports, string>

/** The variables of a process that uses the ports assigned to the first one. */
export function fixPorts(variables: Variables, ports: Ports): Variables {
  const fixed = Object.entries(portVariables).flatMap(([name, variable]) => {
    const port = ports[name as keyof Ports]
    return port === undefined ? [] : [[variable, String(port)]]
  })
  return { ...variables, ...Object.fromEntries(fixed) }
}

/** The number of slots in the database, over all machines together (`processes.slot`). */
const maxProcesses = 64

export type ProcessesSetting = number | 'auto'

/** Null: see `processesRule`. */
export function parseProcesses(text: string): ProcessesSetting | null {
  const trimmed = text.trim()
  if (trimmed === 'auto') return 'auto'
  const count = Number(trimmed)
  return /^\d{1,9}$/.test(trimmed) && count >= 1 && count <= maxProcesses ? count : null
}

export const processesRule = `must be a whole number from 1 to ${maxProcesses}, or auto`

/** Reason why the database serves only one process; null if it serves multiple. `databaseUrl` null: SQLite. */
export function whyOnlyOne(databaseUrl: string | null): string | null {
  return databaseUrl === null
    ? 'SQLite serves one process. Set DATABASE_URL to a PostgreSQL database to run more.'
    : null
}

export type Surroundings = {
  /** See `whyOnlyOne`. */
  readonly whyOnlyOne: string | null
  readonly platform: string
  readonly cores: number
}

/** `auto` means one process if multiple are impossible. An impossible number throws an Error with the reason. */
export function countProcesses(
  asked: ProcessesSetting,
  { whyOnlyOne, platform, cores }: Surroundings,
): number {
  const obstacle =
    platform === 'linux' ? whyOnlyOne : 'Multiple processes can share an address only on Linux.'
  if (asked === 'auto') return obstacle === null ? Math.min(Math.max(cores, 1), maxProcesses) : 1
  if (asked > 1 && obstacle !== null) throw new Error(`${asked} processes cannot run here. ${obstacle}`)
  return asked
}
