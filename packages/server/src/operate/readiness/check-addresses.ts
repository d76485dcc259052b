// Checks the addresses that participants are told: the name resolves, the certificate lasts, and it is our door that answers.
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { messageOf } from '../../world/message-of.ts'
import { type Found, fault, ok, warning } from './finding.ts'

export type PublicAddress = {
  /** As it says itself at /health/live. */
  readonly door: string
  readonly url: string
  /** The setting that names it. */
  readonly setting: string
}

export type AddressProbes = {
  /** All addresses of a host. Rejects where it has none. */
  readonly resolve: (host: string) => Promise<readonly string[]>
  readonly readCertificate: (host: string, port: number) => Promise<Certificate>
  /** The door that answers there; null where something else does. Rejects where nothing answers. */
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
    const text = `${door}: ${url} is an address of this machine alone`
    const local = warning(text, `Set ${setting} to the address by which participants reach it.`)
    return surroundings.isServing ? [local, await checkAnswer(door, url, probes)].flat() : local
  }
  const addresses = isIP(host) === 0 ? await probes.resolve(host).catch(() => []) : [host]
  if (addresses.length === 0)
    return fault(`${door}: the name ${host} has no address`, `Add it to your DNS, or correct ${setting}.`)
  const findings: Found[] = []
  if (protocol === 'http:')
    findings.push(
      warning(
        `${door}: ${url} is plain HTTP: keys travel readable`,
        'Put TLS in front (docs/installing.md), and name the https address.',
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
  const renew = 'Renew the certificate, and look why it was not renewed by itself.'
  try {
    const { validTo, problem } = await readCertificate(host, port)
    const day = new Date(validTo).toISOString().slice(0, 10)
    if (validTo <= now) return fault(`${door}: the certificate of ${host} ended on ${day}`, renew)
    if (problem !== null)
      return fault(
        `${door}: the certificate of ${host} is not trusted (${problem})`,
        'Use a certificate for this name, with its chain, from an authority that clients know.',
      )
    const days = Math.floor((validTo - now) / dayMs)
    const text = `${door}: the certificate of ${host} ends on ${day}, in ${days} days`
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
    const who = found === null ? 'something else than Fairgate' : `the door "${found}"`
    return fault(`${door}: at ${url} answers ${who}`, 'Correct the address, or where the proxy leads.')
  } catch (error) {
    return fault(
      `${door}: nothing answers at ${url} (${messageOf(error)})`,
      'Look at the proxy and the firewall. A machine that cannot reach its own public address needs another one to try it from.',
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
      // Nothing is sent. What is wrong with the certificate is what we came to see.
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
    // Whatever stands there may send for ever.
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
