// Opens the connection to the logbook, directly or through a proxy. It returns the options that a Node request needs to use it.
import type { Agent, RequestOptions } from 'node:http'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'

export type Line = {
  readonly request: typeof import('node:http').request
  /** Where the request goes. The connection is kept for the next one. */
  readonly optionsFor: (target: URL) => RequestOptions
  /** The headers that a proxy needs with each request. */
  readonly headersFor: (target: URL) => Readonly<Record<string, string>>
}

const oneAtATime = { keepAlive: true, maxSockets: 1 } as const

export async function openStraightLine({ protocol }: URL): Promise<Line> {
  const { request, Agent } = protocol === 'https:' ? await import('node:https') : await import('node:http')
  const agent = new Agent(oneAtATime)
  return straightTo(request, agent)
}

/** With https the proxy sees only the name of the logbook. With http it sees everything, as anybody on the way does. */
export async function openProxiedLine({ protocol }: URL, proxy: URL): Promise<Line> {
  const toProxy = proxy.protocol === 'https:' ? await import('node:https') : await import('node:http')
  const headers = authorizeAt(proxy)
  if (protocol === 'https:') {
    const { request } = await import('node:https')
    const agent = await createTunnelAgent(toProxy.request, proxy)
    return straightTo(request, agent)
  }
  const agent = new toProxy.Agent(oneAtATime)
  return {
    request: toProxy.request,
    optionsFor: target => ({ ...addressOf(proxy), path: target.href, agent }),
    headersFor: target => ({ host: target.host, ...headers }),
  }
}

function straightTo(request: Line['request'], agent: Agent): Line {
  const optionsFor = (target: URL) => ({ ...addressOf(target), path: pathOf(target), agent })
  return { request, optionsFor, headersFor: () => ({}) }
}

async function createTunnelAgent(request: Line['request'], proxy: URL): Promise<Agent> {
  const { Agent } = await import('node:https')
  const { connect } = await import('node:tls')
  const createConnection = (
    { host = '', port = 443, signal }: RequestOptions,
    done: (fault: Error | null, connection?: Duplex) => void,
  ) => {
    const name = host ?? ''
    const authority = `${name.includes(':') ? `[${name}]` : name}:${port ?? 443}`
    const asked = request({
      ...addressOf(proxy),
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...authorizeAt(proxy) },
      agent: false,
      ...(signal === undefined ? {} : { signal }),
    })
    asked.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200)
        return done(null, connect({ socket, ...(isIP(name) ? {} : { servername: name }) }))
      socket.destroy()
      done(new Error(`the proxy answered ${statusCode}`))
    })
    // A proxy that refuses may answer as it would any other request.
    asked.once('response', response => {
      response.destroy()
      done(new Error(`the proxy answered ${response.statusCode}`))
    })
    asked.once('error', done)
    asked.end()
  }
  return Object.assign(new Agent(oneAtATime), { createConnection })
}

function addressOf({ protocol, hostname, port }: URL): RequestOptions {
  const host = hostname.replace(/^\[|\]$/g, '')
  return { protocol, host, port: port || (protocol === 'https:' ? 443 : 80) }
}

function pathOf({ pathname, search }: URL): string {
  return `${pathname}${search}`
}

function authorizeAt({ username, password }: URL): Record<string, string> {
  if (username === '') return {}
  const pair = `${decode(username)}:${decode(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}

/** A password with a literal `%` is used as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
