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
const longestConnectMs = 5000

/** Never rejects. */
export async function createCallLogbook(url: string, token: string): Promise<CallLogbook> {
  const { request, Agent } = url.startsWith('https:') ? await import('node:https') : await import('node:http')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return call =>
    new Promise(resolve => {
      const limit = setTimeout(
        () => outgoing?.destroy(new DeadlinePassed(`no answer within ${call.timeoutMs} ms`)),
        call.timeoutMs,
      )
      const end = (reply: LogbookReply) => {
        clearTimeout(limit)
        resolve(reply)
      }
      const fail = (error: Error) => {
        end({
          kind: error instanceof DeadlinePassed ? 'timeout' : 'unreachable',
          message: describeFault(error),
        })
      }
      const outgoing = startRequest()
      function startRequest() {
        try {
          const started = request(`${url}${call.path}`, buildOptions(call, token, agent), response => {
            readReply(response).then(end, fail)
          })
          started.on('error', fail)
          started.end(call.body)
          return started
        } catch (thrown) {
          // The address is none.
          fail(thrown instanceof Error ? thrown : new Error('the address is not valid'))
          return null
        }
      }
    })
}

class DeadlinePassed extends Error {}

function buildOptions(call: LogbookCall, token: string, agent: RequestOptions['agent']): RequestOptions {
  const body =
    call.body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(call.body) }
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json', ...body }
  const connectLimit = Math.min(call.timeoutMs, longestConnectMs)
  return { method: call.method, headers, ...(agent === undefined ? {} : { agent }), timeout: connectLimit }
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

function describeFault(error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  return error.message === '' ? code || 'no connection' : error.message
}
