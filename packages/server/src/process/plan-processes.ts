// Reads from settings and system what a server of several processes needs to know before it starts the first.
import { availableParallelism } from 'node:os'
import { startSandbox } from '@fairgate/sandbox/start-sandbox.ts'
import { buildConfig } from '../config/config.ts'
import { type Environment, readEnvironment } from '../config/environment.ts'
import { readDatabaseUrl } from '../config/secrets.ts'
import {
  countProcesses,
  type ProcessesSetting,
  parseProcesses,
  processesRule,
  whyOnlyOne,
} from './count-processes.ts'
import type { Ports } from './protocol.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** `option`: of the command line; it comes before FAIRGATE_PROCESSES. Throws an Error that names what is wrong. */
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
 * Throws an Error where nobody would end the server that is to be replaced: the new one does not wait for a database that both can use, and
 * only the launcher tells the old one to leave (scripts/hand-over.mjs).
 */
export function requireTakeOver(variables: Variables, hasLauncher: boolean): void {
  if (hasLauncher || whyOnlyOne(readDatabaseUrl(readEnvironment(variables))) !== null) return
  throw new Error(
    '--take-over would leave both servers running, because several can use this database. Send SIGUSR2 to the launcher of the one in place (kill -USR2, systemctl reload fairgate): it starts a new server and ends the old one.',
  )
}

function readProcesses({ FAIRGATE_PROCESSES: text = '1' }: Environment): ProcessesSetting {
  const setting = parseProcesses(text)
  if (setting === null) throw new Error(`FAIRGATE_PROCESSES ${processesRule}, not "${text}".`)
  return setting
}

/** The sandbox of all processes; null where the settings name a vendor. It knows no key until a process tells it one. */
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

/** The variables of a process that takes the ports which the first one was given. */
export function fixPorts(variables: Variables, ports: Ports): Variables {
  const fixed = Object.entries(portVariables).flatMap(([name, variable]) => {
    const port = ports[name as keyof Ports]
    return port === undefined ? [] : [[variable, String(port)]]
  })
  return { ...variables, ...Object.fromEntries(fixed) }
}
