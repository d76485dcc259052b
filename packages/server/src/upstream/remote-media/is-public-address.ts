// Tells public addresses from those of this machine, its network and its cloud: what clients name is fetched from the former only.
import { BlockList, isIP } from 'node:net'

type Subnet = readonly [network: string, prefix: number]

/** Not for the public, by the registry of special-purpose addresses. */
const specialV4: readonly Subnet[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** All global unicast lies in here; IPv4 in disguise (mapped, translated), loopback, local and multicast do not. */
const globalV6: readonly Subnet[] = [['2000::', 3]]

/** Within it: protocol assignments with Teredo, documentation, and 6to4, which hides an IPv4 address. */
const specialV6: readonly Subnet[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const blockedV4 = listOf(specialV4, 'ipv4')
const allowedV6 = listOf(globalV6, 'ipv6')
const blockedV6 = listOf(specialV6, 'ipv6')

/** False for anything that is not an address. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !blockedV4.check(address, 'ipv4')
    case 6:
      return !address.includes('%') && allowedV6.check(address, 'ipv6') && !blockedV6.check(address, 'ipv6')
    default:
      return false
  }
}

function listOf(subnets: readonly Subnet[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family)
  return list
}
