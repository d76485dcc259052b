// One HTTP exchange with the logbook. It follows no redirect: the token goes to the address that the team gave, or nowhere.
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { chooseRoute } from './choose-proxy.ts'
import { type Line, openProxiedLine, openStraightLine } from './open-line.ts'

export type LogbookCall = {
  readonly method: 'GET' | 'POST'
  /** With its query. */
  readonly path: string
  readonly body?: string
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
  { method, body }: LogbookCall,
  token: string | null,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const all: OutgoingHttpHeaders = {
    ...headersFor(target),
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
  }
}

/** The team becomes part of a file name, so only ids in our logbook's form count. */
function readTeam(header: string | string[] | undefined): string | null {
  const text = textOf(header)
  return text !== null && /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(text) ? text : null
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
