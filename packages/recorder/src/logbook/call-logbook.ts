// One HTTP exchange with the logbook. No redirect is followed: the token goes to the address that the team named, or nowhere.
import type { IncomingMessage, RequestOptions } from 'node:http'

export type LogbookCall = {
  readonly method: 'GET' | 'POST'
  /** With its query. */
  readonly path: string
  readonly body?: string
  /** Ends the call, also while it connects. */
  readonly timeoutMs: number
}

export type LogbookReply =
  | {
      readonly kind: 'reply'
      readonly status: number
      /** The parsed JSON; undefined when it was none. */
      readonly body: unknown
      readonly isEmpty: boolean
      readonly retryAfterMs: number | null
    }
  | { readonly kind: 'unreachable' | 'timeout'; readonly message: string }

export type CallLogbook = (call: LogbookCall) => Promise<LogbookReply>

const largestReplyBytes = 32 * 1024 * 1024

/** The function it gives never rejects. */
export async function createCallLogbook(url: string, token: string): Promise<CallLogbook> {
  const { request, Agent } = url.startsWith('https:') ? await import('node:https') : await import('node:http')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return async call => {
    const signal = AbortSignal.timeout(Math.ceil(call.timeoutMs))
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const outgoing = request(
          `${url}${call.path}`,
          { ...buildOptions(call, token), agent, signal },
          resolve,
        )
        outgoing.on('error', reject)
        outgoing.end(call.body)
      })
      return await readReply(response)
    } catch (thrown) {
      if (signal.aborted)
        return { kind: 'timeout', message: `no answer within ${Math.round(call.timeoutMs)} ms` }
      // Also when the address is none.
      return { kind: 'unreachable', message: describeFault(thrown) }
    }
  }
}

function buildOptions(call: LogbookCall, token: string): RequestOptions {
  const body =
    call.body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(call.body) }
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json', ...body }
  return { method: call.method, headers }
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
    retryAfterMs: Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter * 1000 : null,
  }
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
