// An upstream that answers every call with the one thing a test has told it to send: whole bytes, or bytes without an end.
import { streamForever, writePieces } from './endless-bodies.ts'

/** What one request is answered with. */
export type Fault = (request: Request) => Response | Promise<Response>

export type ScriptedUpstream = {
  readonly url: string
  /** From now on every request is answered so. */
  readonly answerWith: (fault: Fault) => void
  /** How many requests came since the last fault was set. */
  readonly requests: () => number
  /** Bytes that endless bodies have handed to the network since then. */
  readonly sentBytes: () => number
  /** An endless body, counted. `piece` is sent again and again after `start`. */
  readonly endless: (start: string, piece: string | Uint8Array, options?: ResponseInit) => Response
  readonly stop: () => Promise<void>
}

export function startScriptedUpstream(): ScriptedUpstream {
  let fault: Fault = () => new Response(null, { status: 500 })
  let requests = 0
  let sent = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: request => {
      requests += 1
      return fault(request)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    answerWith: next => {
      fault = next
      requests = 0
      sent = 0
    },
    requests: () => requests,
    sentBytes: () => sent,
    endless: (start, piece, options) =>
      writePieces(
        streamForever(start, piece, bytes => {
          sent += bytes
        }),
        options,
      ),
    stop: () => server.stop(true),
  }
}
