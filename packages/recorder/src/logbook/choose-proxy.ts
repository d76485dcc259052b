// Chooses the proxy for an address, by the environment variables that curl, git and npm read.
import { BlockList, isIP } from 'node:net'

export type Route =
  | { readonly kind: 'direct' }
  | { readonly kind: 'proxy'; readonly proxy: URL }
  /** The variables name a proxy that the recorder cannot use. */
  | { readonly kind: 'unusable'; readonly reason: string }

type Environment = Readonly<Record<string, string | undefined>>

/** An address of this machine is never behind a proxy. */
export function chooseRoute(target: URL, environment: Environment): Route {
  const names = target.protocol === 'https:' ? ['https_proxy', 'all_proxy'] : ['http_proxy', 'all_proxy']
  const text = names.map(name => readVariable(environment, name)).find(value => value !== '') ?? ''
  if (text === '' || isOwnMachine(target.hostname)) return { kind: 'direct' }
  if (isExcepted(target, readVariable(environment, 'no_proxy'))) return { kind: 'direct' }
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const proxy = URL.canParse(address) ? new URL(address) : null
  if (proxy?.protocol === 'http:' || proxy?.protocol === 'https:') return { kind: 'proxy', proxy }
  const kind = proxy === null ? 'is no address' : `begins with ${proxy.protocol}//, which is not supported`
  return { kind: 'unusable', reason: `the proxy that the environment names ${kind}` }
}

/** The lower-case variable wins, as in curl. */
function readVariable(environment: Environment, name: string): string {
  return (environment[name] ?? environment[name.toUpperCase()] ?? '').trim()
}

function isOwnMachine(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/.test(hostname)
}

function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const usedPort = port || (protocol === 'https:' ? '443' : '80')
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some(item => {
      if (item === '*') return true
      const [, name = item, itemPort = usedPort] = /^(\[.+\]|[^:]+):(\d+)$/.exec(item) ?? []
      return itemPort === usedPort && isCovered(host, name.replace(/^\[|\]$/g, '').replace(/^\*?\./, ''))
    })
}

/** `name` is a host, the end of a host's name, an address, or a range of addresses such as `10.0.0.0/8`. */
function isCovered(host: string, name: string): boolean {
  const family = isIP(host)
  if (family === 0) return host === name || host.endsWith(`.${name}`)
  const [network = '', bits = ''] = name.split('/')
  if (isIP(network) !== family) return false
  const most = family === 4 ? 32 : 128
  const prefix = bits === '' ? most : Number(bits)
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > most) return false
  const range = new BlockList()
  const kind = family === 4 ? 'ipv4' : 'ipv6'
  range.addSubnet(network, prefix, kind)
  return range.check(host, kind)
}
