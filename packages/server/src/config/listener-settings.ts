// Listener settings from the environment: which doors are opened, which proxies are trusted, and the certificate.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { type Environment, splitList } from './environment.ts'

const doorNames = ['gateway', 'logbook', 'admin'] as const

export type DoorName = (typeof doorNames)[number]

/** PEM texts. */
export type TlsFiles = { readonly cert: string; readonly key: string }

/** All three unless `FAIRGATE_DOORS` names some, separated by commas. Throws an Error that repeats a setting which names no door. */
export function readDoorNames({ FAIRGATE_DOORS: text }: Environment): readonly DoorName[] {
  if (text === undefined) return doorNames
  const names = splitList(text)
  const unknown = names.filter(name => !doorNames.some(door => door === name))
  if (unknown.length > 0 || names.length === 0)
    throw new Error(
      `FAIRGATE_DOORS must be one or more of ${doorNames.join(', ')}, separated by commas, not "${text}".`,
    )
  return doorNames.filter(door => names.includes(door))
}

/** Throws an Error that names the setting and the invalid address. */
export function readTrustedProxies({ FAIRGATE_TRUSTED_PROXIES: text = '' }: Environment): readonly string[] {
  const proxies = splitList(text)
  try {
    createTrustedAddresses(proxies)
  } catch (cause) {
    throw new Error(`FAIRGATE_TRUSTED_PROXIES: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  return proxies
}

/**
 * The host names at which the admin door answers, besides addresses and `localhost`: those of `FAIRGATE_ADMIN_HOSTS`, and `own`. Throws an Error that repeats the invalid name.
 */
export function readAdminHosts(
  { FAIRGATE_ADMIN_HOSTS: text = '' }: Environment,
  own: readonly string[],
): readonly string[] {
  const listed = splitList(text)
  const wrong = listed.find(name => !/^[a-z\d._-]+$/i.test(name))
  if (wrong !== undefined)
    throw new Error(
      `FAIRGATE_ADMIN_HOSTS must be host names without ports, separated by commas. "${wrong}" is not one.`,
    )
  return [...listed, ...own]
}

/**
 * Returns a check for whether an address is one of our own proxies. `trusted`: addresses and networks (`10.0.0.0/8`, `::1`). Throws an
 * Error that names the part that is neither.
 */
export function createTrustedAddresses(trusted: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const entry of trusted) {
    const [network = '', bits, ...rest] = entry.split('/')
    const family = isIP(network)
    const width = family === 6 ? 128 : 32
    const size = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
    if (family === 0 || rest.length > 0 || !(size <= width))
      throw new Error(`"${entry}" is neither an address nor a network such as 10.0.0.0/8.`)
    list.addSubnet(network, size, nameFamily(family))
  }
  return address => list.check(address, nameFamily(isIP(address)))
}

function nameFamily(family: number): 'ipv4' | 'ipv6' {
  return family === 6 ? 'ipv6' : 'ipv4'
}

/**
 * Reads `FAIRGATE_TLS_CERT` (the chain) and `FAIRGATE_TLS_KEY`, paths of PEM files. Throws an Error that names the setting if one is
 * missing or cannot be read, if the key does not match the certificate, or if the certificate has expired.
 */
export function readTls(environment: Environment, now: Date = new Date()): TlsFiles | null {
  const { FAIRGATE_TLS_CERT: certPath, FAIRGATE_TLS_KEY: keyPath } = environment
  if (certPath === undefined && keyPath === undefined) return null
  if (certPath === undefined || keyPath === undefined)
    throw new Error(
      'FAIRGATE_TLS_CERT and FAIRGATE_TLS_KEY go together: set both, or neither for plain HTTP.',
    )
  const cert = readPem('FAIRGATE_TLS_CERT', certPath)
  const key = readPem('FAIRGATE_TLS_KEY', keyPath)
  const certificate = parsePem('FAIRGATE_TLS_CERT', certPath, 'certificate', () => new X509Certificate(cert))
  const privateKey = parsePem('FAIRGATE_TLS_KEY', keyPath, 'private key without a password', () =>
    createPrivateKey(key),
  )
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error('FAIRGATE_TLS_KEY does not match the certificate in FAIRGATE_TLS_CERT.')
  if (new Date(certificate.validTo) < now)
    throw new Error(`FAIRGATE_TLS_CERT: the certificate expired at ${certificate.validTo}.`)
  return { cert, key }
}

function readPem(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new Error(
      `${setting}: cannot read ${path}: ${cause instanceof Error ? cause.message : String(cause)}`,
    )
  }
}

/** The message does not repeat the contents of the file. */
function parsePem<Value>(setting: string, path: string, what: string, parse: () => Value): Value {
  try {
    return parse()
  } catch {
    throw new Error(`${setting}: ${path} does not hold a PEM ${what}.`)
  }
}
