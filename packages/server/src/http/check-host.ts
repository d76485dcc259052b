// Decides by its Host header whether a request is answered. A page of another site with a name that leads to this machine (DNS rebinding) is
// the same origin to its browser; only the Host that the browser sends gives it away.
import { isIP } from 'node:net'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'

/** `host`: as in the request, with or without a port. Null for a request without one. */
export type IsHostAllowed = (host: string | null) => boolean

/**
 * Allows addresses, loopback names (`localhost`, `*.localhost`) and `names`. A rebound name is neither: to send an address, a page must
 * have come from that address.
 */
export function createHostCheck(names: readonly string[]): IsHostAllowed {
  const known = new Set(names.map(name => name.toLowerCase()))
  return host => {
    const name = readHostName(host ?? '')
    return isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost') || known.has(name)
  }
}

/** Refuses more than one Host header (RFC 9112, 3.2), which the runtime joins with commas; otherwise null. */
export function refuseHosts(host: string | null): ApiError | null {
  if (host?.includes(',') !== true) return null
  return new ApiError('invalid_request', {
    message: 'The request has more than one Host header. Send exactly one.',
  })
}

/** Without the port, the brackets of an IPv6 address and the trailing dot of a full name; empty if it is not a host. */
function readHostName(host: string): string {
  const match = /^(?:\[([\da-f:.]+)\]|([a-z\d._-]+))(?::\d{1,5})?$/i.exec(host)
  return (match?.[1] ?? match?.[2] ?? '').toLowerCase().replace(/\.$/, '')
}
