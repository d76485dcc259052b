// Decides how a foreign URL may be called: at a checked public address, under its own name, and nowhere else.
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { IPv6, parse } from 'ipaddr.js'

/** All addresses of a host. */
export type Resolve = (host: string) => Promise<readonly string[]>

/**
 * Null if the host has no address, or one that is not public: a single hidden address among public ones is enough to refuse, since the
 * result must not depend on chance. Rejects if the name server does.
 */
export async function findPublicAddress(resolve: Resolve, hostname: string): Promise<string | null> {
  const literal = withoutBrackets(hostname)
  const addresses = isIP(literal) > 0 ? [literal] : await resolve(literal)
  const [first] = addresses
  if (first === undefined || !addresses.every(isPublicAddress)) return null
  return addresses.find(address => isIP(address) === 4) ?? first
}

/** How an https URL is fetched from the checked address: the name is not resolved again, but its certificate is required. */
export function pinTo(url: URL, ip: string) {
  const name = url.hostname
  return {
    address: `https://${ip.includes(':') ? `[${ip}]` : ip}${url.pathname}${url.search}`,
    headers: { host: name },
    tls: isIP(withoutBrackets(name)) > 0 ? {} : { serverName: name },
  }
}

/** A name server cannot be stopped: it is just no longer awaited. Rejects with the reason of the abort. */
export function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

// Separates public addresses from those of this machine, its network and its cloud: client URLs are fetched from the former only.

/** Anything outside it has no public owner, whether or not a range of its own says so: IPv4-compatible addresses, for instance. */
const globalV6 = IPv6.parseCIDR('2000::/3')

/** False for anything that is not an address in its usual form: short, octal and zoned ones mean something else to other programs. */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false
  const address = parse(text)
  // `unicast` means that no registry of special-purpose addresses lists it: RFC 6890 and its successors, in the library's version.
  if (address.range() !== 'unicast') return false
  return !(address instanceof IPv6) || address.match(globalV6)
}

/** All addresses of a host. */
export async function resolveHost(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}
