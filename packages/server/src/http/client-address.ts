// Who is asking, when a proxy stands in front: the address that a trusted proxy names instead of its own.
import { isIP } from 'node:net'

/** `address` of the connection, `forwarded` as its `X-Forwarded-For` has it → the address of the client. */
export type ReadClientAddress = (address: string | null, forwarded: () => string | null) => string | null

/**
 * Read from the right, since a proxy adds whom it was asked by at the end and everything before may be invented: the first
 * address that is not one of ours is the client's.
 */
export function createClientAddress(isOurs: (address: string) => boolean): ReadClientAddress {
  return (address, forwarded) => {
    if (address === null || !isOurs(plain(address))) return address
    const named = (forwarded() ?? '').split(',').map(part => plain(part.trim()))
    let client = plain(address)
    for (const part of named.reverse()) {
      // What is no address was not written by a proxy of ours: the last one that was stands.
      if (isIP(part) === 0) return client
      client = part
      if (!isOurs(part)) return client
    }
    return client
  }
}

/** Without brackets and port; an IPv4 address that came over an IPv6 socket as IPv4. */
function plain(address: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1]
  const bare = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1]
  return (bracketed ?? bare ?? address).replace(/^::ffff:(?=\d+\.)/i, '')
}
