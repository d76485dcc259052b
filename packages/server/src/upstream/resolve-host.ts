import { lookup } from 'node:dns/promises'

/** All addresses of a host. */
export async function resolveHost(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}
