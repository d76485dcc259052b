// Finds the client's address if a trusted proxy is in front of the server.
import { isIP } from 'node:net'
import type { DoorServer } from './call.ts'

/** `address` of the connection, and `forwarded`, its `X-Forwarded-For` → the client's address. */
export type ReadClientAddress = (address: string | null, forwarded: () => string | null) => string | null

/**
 * Reads the header from the right: each proxy appends the address that called it, and anything further left may be invented. The first
 * address that is not one of our proxies is the client's.
 */
export function createClientAddress(isOurs: (address: string) => boolean): ReadClientAddress {
  /** True if the address of a connection is ours: asked for each call, and nearly always one of few. */
  const known = new Map<string, boolean>()
  const isOurConnection = (address: string): boolean => {
    const answer = known.get(address)
    if (answer !== undefined) return answer
    if (known.size >= maxKnown) known.clear()
    const found = isOurs(plain(address))
    known.set(address, found)
    return found
  }
  return (address, forwarded) => {
    if (address === null || !isOurConnection(address)) return address
    const named = (forwarded() ?? '').split(',').map(part => plain(part.trim()))
    let client = plain(address)
    for (const part of named.reverse()) {
      // Our proxies write nothing but addresses: the last valid one is the client's.
      if (isIP(part) === 0) return client
      client = part
      if (!isOurs(part)) return client
    }
    return client
  }
}

const maxKnown = 1000

/** True if the client's connection is encrypted: ours is, or a trusted proxy says so in `X-Forwarded-Proto`. */
export function createSecureCheck(isOurs: (address: string) => boolean) {
  return ({ request, server }: { readonly request: Request; readonly server: DoorServer }): boolean => {
    if (request.url.startsWith('https:')) return true
    const address = server.requestIP(request)?.address ?? null
    // The last proxy's value counts: anything further left may be invented.
    const said = request.headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase()
    return said === 'https' && address !== null && isOurs(plain(address))
  }
}

/** Without brackets and port; an IPv4 address that came over an IPv6 socket as IPv4. */
function plain(address: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1]
  const bare = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1]
  return (bracketed ?? bare ?? address).replace(/^::ffff:(?=\d+\.)/i, '')
}

/** One client: an IPv4 address, or the /64 of an IPv6 address, since its holder has all 2⁶⁴ of them. */
export function nameNetwork(address: string | null): string {
  if (address === null) return 'unknown'
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.toLowerCase().split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map(part => part.replace(/^0+(?=.)/, ''))
    .join(':')
}
