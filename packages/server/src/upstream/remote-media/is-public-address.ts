// Tells public addresses from those of this machine, its network and its cloud: what clients name is fetched from the former only.
import { isIP } from 'node:net'
import { IPv6, parse } from 'ipaddr.js'

/** Whatever is not in it has no public owner, whether or not a range of its own says so: IPv4-compatible addresses, for instance. */
const globalV6 = IPv6.parseCIDR('2000::/3')

/** False for anything that is not an address in its usual form: short, octal and zoned ones mean something else to others. */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false
  const address = parse(text)
  // `unicast` is what no registry of special-purpose addresses names: RFC 6890 and its successors, as the library lists them.
  if (address.range() !== 'unicast') return false
  return !(address instanceof IPv6) || address.match(globalV6)
}
