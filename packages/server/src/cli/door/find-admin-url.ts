// Finds the address of the admin door: the option, else the environment, else this machine.
import { CommandFailure } from '../command-failure.ts'

type Variables = Readonly<Record<string, string | undefined>>

const defaultAdminUrl = 'http://127.0.0.1:4002'
const defaultPort = '4002'

/**
 * Without a slash at its end. `FAIRGATE_ADMIN_PORT` and `FAIRGATE_ADMIN_HOST` mean the same here as for the server that is started with
 * them. Throws CommandFailure 2, which names the setting at fault.
 */
export function findAdminUrl(option: string | undefined, variables: Variables): string {
  if (option !== undefined) return readUrl('--url', option.trim())
  const url = variables.FAIRGATE_ADMIN_URL?.trim()
  if (url) return readUrl('FAIRGATE_ADMIN_URL', url)
  return `${readScheme(variables)}://${readHost(variables)}:${readPort(variables)}`
}

function readUrl(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain =
    url !== undefined &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    `${url.search}${url.hash}${url.username}${url.password}` === ''
  if (isPlain) return text.replace(/\/+$/, '')
  // The text is not repeated: it may hold a password.
  throw new CommandFailure(
    2,
    `error: ${name} must be an http or https address without user, query or fragment, ` +
      `such as ${defaultAdminUrl}.`,
  )
}

/** With a certificate the door uses TLS, unless only this machine can reach it. */
function readScheme(variables: Variables): 'http' | 'https' {
  const host = variables.FAIRGATE_ADMIN_HOST?.trim() || '127.0.0.1'
  const isOwnMachine = /^(localhost|127\.[\d.]+|::1)$/.test(host)
  return variables.FAIRGATE_TLS_CERT?.trim() && !isOwnMachine ? 'https' : 'http'
}

/** A server that listens on every address is reached at the loopback address. */
function readHost(variables: Variables): string {
  const host = variables.FAIRGATE_ADMIN_HOST?.trim() || '127.0.0.1'
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  const written = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  if (/^[\w.:[\]-]+$/.test(written) && URL.canParse(`http://${written}:1`)) return written
  throw new CommandFailure(2, 'error: FAIRGATE_ADMIN_HOST must be an address or a host name.')
}

function readPort(variables: Variables): string {
  const port = variables.FAIRGATE_ADMIN_PORT?.trim() || defaultPort
  if (/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536) return String(Number(port))
  const why =
    port === '0'
      ? 'is 0: the server took a free port, which it printed at its start. Say it'
      : 'must be a port from 1 to 65535. Or say where the door is'
  throw new CommandFailure(2, `error: FAIRGATE_ADMIN_PORT ${why} with --url.`)
}
