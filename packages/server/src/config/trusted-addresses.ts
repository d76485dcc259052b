// The addresses and networks of our own proxies, as one question: is this address one of them?
import { BlockList, isIP } from 'node:net'

/** `trusted`: addresses and networks (`10.0.0.0/8`, `::1`). Throws an Error that names the part that is neither. */
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
