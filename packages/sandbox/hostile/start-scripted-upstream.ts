// Starts an upstream that answers every call with a test's own bytes, complete or endless.
import { streamForever, writePieces } from './endless-bodies.ts'

/** The answer to a request. */
export type Fault = (request: Request) => Response | Promise<Response>

export type ScriptedUpstream = {
  readonly url: string
  /** Answers every request from now on with this fault. */
  readonly answerWith: (fault: Fault) => void
  /** Number of requests since the fault was last set. */
  readonly requests: () => number
  /** Bytes that endless bodies have sent since then. */
  readonly sentBytes: () => number
  /** Makes an endless body with a byte count. It repeats `piece` after `start`. */
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
