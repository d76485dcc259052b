// One HTTP exchange with the logbook. It follows no redirect: the token goes to the address that the team gave, or nowhere.
import type { Agent, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { chooseRoute } from './choose-proxy.ts'

export type LogbookCall = {
  readonly method: 'GET' | 'POST'
  /** With its query. */
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Limits the whole call, including the connection. */
  readonly timeoutMs: number
}

export type LogbookReply =
  | {
      readonly kind: 'reply'
      readonly status: number
      /** The parsed JSON; undefined when the body was not JSON. */
      readonly body: unknown
      readonly isEmpty: boolean
      /** The team that the log token belongs to, if the logbook says so. */
      readonly teamId: string | null
      /** Where a redirect leads. It is only shown, never followed. */
      readonly location: string | null
      readonly retryAfterMs: number | null
      /** Unix ms of its `Date`; null in a reply out of a cache. */
      readonly sentAt?: number | null
      /** What a call of a model cost in USD, if the gateway says so. */
      readonly cost?: string | null
    }
  | { readonly kind: 'unreachable' | 'timeout'; readonly message: string }

export type CallLogbook = (call: LogbookCall) => Promise<LogbookReply>

const largestReplyBytes = 32 * 1024 * 1024

/** `token` is null for requests that need none. The returned function never rejects. */
export async function createCallLogbook(
  url: string,
  token: string | null,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<CallLogbook> {
  if (!URL.canParse(url)) return async () => ({ kind: 'unreachable', message: 'its address is not valid' })
  const route = chooseRoute(new URL(url), environment)
  if (route.kind === 'unusable') return async () => ({ kind: 'unreachable', message: route.reason })
  const isProxied = route.kind === 'proxy'
  const line = isProxied
    ? await openProxiedLine(new URL(url), route.proxy)
    : await openStraightLine(new URL(url))
  const way = isProxied ? ` (through the proxy ${route.proxy.host})` : ''
  return async call => {
    const signal = AbortSignal.timeout(Math.ceil(call.timeoutMs))
    try {
      return await readReply(await exchange(line, new URL(`${url}${call.path}`), call, token, signal))
    } catch (thrown) {
      if (signal.aborted)
        return { kind: 'timeout', message: `no answer within ${Math.round(call.timeoutMs)} ms${way}` }
      return { kind: 'unreachable', message: `${describeFault(thrown)}${way}` }
    }
  }
}

function exchange(
  { request, optionsFor, headersFor }: Line,
  target: URL,
  { method, body, headers = {} }: LogbookCall,
  token: string | null,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const all: OutgoingHttpHeaders = {
    ...headersFor(target),
    ...headers,
    accept: 'application/json',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  }
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...optionsFor(target), method, headers: all, signal }, resolve)
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

async function readReply(response: IncomingMessage): Promise<LogbookReply> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > largestReplyBytes) throw new Error('the reply is too large')
    chunks.push(chunk)
  }
  const retryAfter = Number(response.headers['retry-after'])
  return {
    kind: 'reply',
    status: response.statusCode ?? 0,
    body: parseJson(Buffer.concat(chunks).toString('utf8')),
    isEmpty: size === 0,
    teamId: readTeam(response.headers['x-gateway-team']),
    location: textOf(response.headers.location),
    retryAfterMs: Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter * 1000 : null,
    sentAt: response.headers.age === undefined ? readTime(response.headers.date) : null,
    cost: textOf(response.headers['x-gateway-response-cost']),
  }
}

/** The team becomes part of a file name, so only ids in our logbook's form count. */
function readTeam(header: string | string[] | undefined): string | null {
  const text = textOf(header)
  return text !== null && /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(text) ? text : null
}

function readTime(header: string | undefined): number | null {
  const time = Date.parse(header ?? '')
  return Number.isNaN(time) ? null : time
}

function textOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && header !== '' ? header : null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function describeFault(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'no connection'
  return thrown.message || ('code' in thrown ? String(thrown.code) : 'no connection')
}

// Opens the connection to the logbook, directly or through a proxy. It returns the options that a Node request needs to use it.

type Line = {
  readonly request: typeof import('node:http').request
  /** Where the request goes. The connection is kept for the next one. */
  readonly optionsFor: (target: URL) => RequestOptions
  /** The headers that a proxy needs with each request. */
  readonly headersFor: (target: URL) => Readonly<Record<string, string>>
}

const oneAtATime = { keepAlive: true, maxSockets: 1 } as const

async function openStraightLine({ protocol }: URL): Promise<Line> {
  const { request, Agent } = protocol === 'https:' ? await import('node:https') : await import('node:http')
  const agent = new Agent(oneAtATime)
  return straightTo(request, agent)
}

/** With https the proxy sees only the name of the logbook. With http it sees everything, as anybody on the way does. */
async function openProxiedLine({ protocol }: URL, proxy: URL): Promise<Line> {
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
