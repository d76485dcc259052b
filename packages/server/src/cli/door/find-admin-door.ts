// Finds the admin door: its address and its key, from the options, the environment or the data folder, else on this machine.
import { join } from 'node:path'
import { CommandFailure, refuseUsage } from '../command-failure.ts'
import type { ProgramDependencies } from '../dependencies.ts'

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Without a trailing slash. `FAIRGATE_ADMIN_PORT` and `FAIRGATE_ADMIN_HOST` have the same meaning as for the server. Throws CommandFailure 2,
 * which names the setting at fault.
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
  throw refuseUsage(
    `${name} must be an http or https address without user, query or fragment, such as http://127.0.0.1:4002.`,
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
  throw refuseUsage('FAIRGATE_ADMIN_HOST must be an address or a host name.')
}

function readPort(variables: Variables): string {
  const port = variables.FAIRGATE_ADMIN_PORT?.trim() || '4002'
  if (/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536) return String(Number(port))
  const why =
    port === '0'
      ? 'is 0: the server chose a free port and printed it at its start. Name it'
      : 'must be a port from 1 to 65535. Or name the address'
  throw refuseUsage(`FAIRGATE_ADMIN_PORT ${why} with --url.`)
}

/** Throws CommandFailure 3 with what to do, and never repeats the key. */
export async function readAdminKey(
  variables: ProgramDependencies['variables'],
  readTextFile: ProgramDependencies['readTextFile'],
): Promise<string> {
  const variable = variables.FAIRGATE_ADMIN_KEY?.trim()
  if (variable) return requireHeaderText(variable, 'FAIRGATE_ADMIN_KEY')
  const path = join(variables.FAIRGATE_DATA_DIR?.trim() || './data', 'admin-key')
  const kept = (await readKeyFile(path, readTextFile)).trim()
  if (kept === '') throw refuseKey(`the file ${path} is empty`)
  return requireHeaderText(kept, path)
}

function refuseKey(reason: string): CommandFailure {
  return new CommandFailure(
    3,
    `No admin key: ${reason}. Set FAIRGATE_ADMIN_KEY, or set FAIRGATE_DATA_DIR to the data folder of the server, ` +
      'which holds the file admin-key.',
  )
}

async function readKeyFile(path: string, readTextFile: ProgramDependencies['readTextFile']): Promise<string> {
  try {
    return await readTextFile(path)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    const reason =
      code === 'ENOENT' ? `there is no file ${path}` : `the file ${path} cannot be read (${code})`
    throw refuseKey(`FAIRGATE_ADMIN_KEY is not set and ${reason}`)
  }
}

/** A key that does not fit into a header would end up in the error message of `fetch`. */
function requireHeaderText(key: string, origin: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw refuseKey(`${origin} contains characters that no admin key has`)
}
