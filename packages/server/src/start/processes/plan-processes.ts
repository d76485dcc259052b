// Reads from settings and system what a server of several processes needs to know before it starts the first.
import { availableParallelism } from 'node:os'
import { startSandbox } from '@fairgate/sandbox/start-sandbox.ts'
import { buildConfig } from '../../config/config.ts'
import { readEnvironment } from '../../config/environment.ts'
import { readDatabaseUrl } from '../../config/secrets.ts'
import { countProcesses, parseProcesses, whyOnlyOne } from './count-processes.ts'
import type { Ports } from './protocol.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** `option`: of the command line; it comes before FAIRGATE_PROCESSES. Throws an Error that names what is wrong. */
export function planProcesses(variables: Variables, option: string | null): number {
  const environment = readEnvironment(variables)
  const text = option ?? environment.FAIRGATE_PROCESSES
  if (text === undefined) return 1
  return countProcesses(parseProcesses(text, option === null ? 'FAIRGATE_PROCESSES' : '--processes'), {
    whyOnlyOne: whyOnlyOne({ databaseUrl: readDatabaseUrl(environment), limits: 'memory' }),
    platform: process.platform,
    cores: availableParallelism(),
  })
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
