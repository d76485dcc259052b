// Checks the addresses that participants get: the name resolves, the certificate is valid for some time, and our door answers there.
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { messageOf } from '../../world/message-of.ts'
import { type Found, fault, ok, warning } from './finding.ts'

export type PublicAddress = {
  /** The name that the door returns at /health/live. */
  readonly door: string
  readonly url: string
  /** The setting that holds the address. */
  readonly setting: string
}

export type AddressProbes = {
  /** All addresses of a host. Rejects if it has none. */
  readonly resolve: (host: string) => Promise<readonly string[]>
  readonly readCertificate: (host: string, port: number) => Promise<Certificate>
  /** The door that answers there; null if something else does. Rejects if nothing answers. */
  readonly askDoor: (url: string) => Promise<string | null>
}

/** `problem`: why it is not trusted; null when it is. */
export type Certificate = { readonly validTo: number; readonly problem: string | null }

const dayMs = 86_400_000
/** Let's Encrypt renews 30 days before the end: with two weeks left, something has failed. */
const noticeDays = 14

export async function checkAddress(
  { door, url, setting }: PublicAddress,
  probes: AddressProbes,
  surroundings: { readonly now: number; readonly isServing: boolean },
): Promise<Found> {
  const { hostname, protocol, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isLoopback(host)) {
    const text = `${door}: ${url} can only be reached from this machine`
    const local = warning(text, `Set ${setting} to the address that participants use.`)
    return surroundings.isServing ? [local, await checkAnswer(door, url, probes)].flat() : local
  }
  const addresses = isIP(host) === 0 ? await probes.resolve(host).catch(() => []) : [host]
  if (addresses.length === 0)
    return fault(`${door}: the name ${host} has no address`, `Add it to your DNS, or correct ${setting}.`)
  const findings: Found[] = []
  if (protocol === 'http:')
    findings.push(
      warning(
        `${door}: ${url} is plain HTTP: keys are sent unencrypted`,
        'Put TLS in front (docs/installing.md), and set the https address.',
      ),
    )
  else
    findings.push(
      await checkCertificate(door, host, port === '' ? 443 : Number(port), probes, surroundings.now),
    )
  // Without a server nothing can answer.
  if (surroundings.isServing) findings.push(await checkAnswer(door, url, probes))
  return findings.length > 0
    ? findings.flat()
    : ok(`${door}: ${host} has the address ${addresses.join(', ')}`)
}

async function checkCertificate(
  door: string,
  host: string,
  port: number,
  { readCertificate }: AddressProbes,
  now: number,
): Promise<Found> {
  const renew = 'Renew the certificate, and find out why automatic renewal failed.'
  try {
    const { validTo, problem } = await readCertificate(host, port)
    const day = new Date(validTo).toISOString().slice(0, 10)
    if (validTo <= now) return fault(`${door}: the certificate of ${host} expired on ${day}`, renew)
    if (problem !== null)
      return fault(
        `${door}: the certificate of ${host} is not trusted (${problem})`,
        'Use a certificate for this name, with its chain, from an authority that clients trust.',
      )
    const days = Math.floor((validTo - now) / dayMs)
    const text = `${door}: the certificate of ${host} expires on ${day}, in ${days} days`
    return [days < noticeDays ? warning(text, renew) : ok(text)]
  } catch (error) {
    return fault(
      `${door}: no TLS at ${host}:${port} (${messageOf(error)})`,
      'Start the proxy that has the certificate, and open its port in the firewall.',
    )
  }
}

async function checkAnswer(door: string, url: string, { askDoor }: AddressProbes): Promise<Found> {
  try {
    const found = await askDoor(url)
    if (found === door) return ok(`${door}: answers at ${url}`)
    const who = found === null ? 'something other than Fairgate' : `the door "${found}"`
    return fault(`${door}: ${who} answers at ${url}`, 'Correct the address, or the target of the proxy.')
  } catch (error) {
    return fault(
      `${door}: nothing answers at ${url} (${messageOf(error)})`,
      'Check the proxy and the firewall. If this machine cannot reach its own public address, try from another one.',
    )
  }
}

export function isLoopback(host: string): boolean {
  return /^(localhost|127\.[\d.]+|\[?::1\]?)$/.test(host)
}

const patienceMs = 5000

/** The real network. */
export const addressProbes: AddressProbes = {
  resolve: async host => (await lookup(host, { all: true })).map(({ address }) => address),
  readCertificate: (host, port) =>
    new Promise((resolve, reject) => {
      // Sends nothing. It accepts any certificate, because it checks for problems of the certificate.
      const socket = connect({
        host,
        port,
        rejectUnauthorized: false,
        ...(isIP(host) === 0 ? { servername: host } : {}),
      })
      socket.setTimeout(patienceMs, () => socket.destroy(new Error('no answer')))
      socket.once('error', reject)
      socket.once('secureConnect', () => {
        const { valid_to: validTo } = socket.getPeerCertificate()
        const problem = socket.authorized ? null : String(socket.authorizationError)
        socket.destroy()
        resolve({ validTo: Date.parse(validTo), problem })
      })
    }),
  askDoor: async url => {
    const response = await fetch(`${url}/health/live`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
    })
    // The server there may send endlessly.
    const length = Number(response.headers.get('content-length') ?? Number.NaN)
    if (!response.ok || !(length < 1000)) {
      await response.body?.cancel()
      return null
    }
    const body: unknown = await response.json().catch(() => null)
    const door: unknown = Object(body).door
    return typeof door === 'string' ? door : null
  },
}
