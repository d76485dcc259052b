// One request to the vendor over real HTTP, with the next key at each try, repeated where nothing was done.
import type { Deadline } from '../deadline.ts'
import { decideRetry, type UpstreamFault } from '../decide-retry.ts'
import type { KeyRing, UpstreamKey } from './key-ring.ts'
import { readRetryDelay } from './map-vendor-error.ts'

export type ExchangeDependencies = {
  readonly fetch: (url: string, init: BunFetchRequestInit) => Promise<Response>
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly keys: Pick<KeyRing, 'next'>
  /** Further tries of a call that the upstream refused before doing any work. */
  readonly maximumRetries: number
  /** Resolves after so many ms; rejects when the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** In [0, 1). */
  readonly random: () => number
}

export type ExchangeRequest = {
  /** After the version: `models/<id>:generateContent`. */
  readonly path: string
  readonly body: string | Uint8Array
}

export type Exchange = (
  request: ExchangeRequest,
  deadline: Deadline,
) => Promise<{ readonly response: Response; readonly key: UpstreamKey }>

/** The upstream answered with an error. */
export class RefusedCall extends Error {
  readonly status: number
  /** Parsed; null when it is no JSON. */
  readonly reply: unknown
  /** The secret that was sent, which must show nowhere. */
  readonly secret: string

  constructor(status: number, reply: unknown, secret: string) {
    super(`The vendor answered ${status}.`)
    this.status = status
    this.reply = reply
    this.secret = secret
  }
}

/** Throws RefusedCall unless the upstream answers 200, and whatever `fetch` throws. */
export function createExchange(dependencies: ExchangeDependencies): Exchange {
  const { fetch, baseUrl, keys, maximumRetries, wait, random } = dependencies

  const send = async (
    { path, body }: ExchangeRequest,
    key: string,
    deadline: Deadline,
  ): Promise<Response> => {
    const response = await fetch(`${baseUrl}/v1beta/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': key, 'accept-encoding': 'identity' },
      body,
      signal: deadline.signal,
      // The key rides along: it must not follow a redirect.
      redirect: 'manual',
      // Bun's own time-out would cut calls that are silent for 5 minutes; the deadline is ours.
      timeout: false,
    })
    if (response.status === 200) return response
    const reply: unknown = await response.json().catch(() => null)
    throw new RefusedCall(response.status, reply, key)
  }

  return async (request, deadline) => {
    for (let attempt = 0; ; attempt += 1) {
      const key = keys.next()
      try {
        return { response: await send(request, key.secret, deadline), key }
      } catch (failure) {
        const fault = faultOf(failure)
        const delay =
          fault === null || attempt >= maximumRetries ? null : decideRetry(fault, attempt, random())
        if (delay === null) throw failure
        await wait(delay, deadline.signal)
      }
    }
  }
}

/** Failures to connect: nothing was sent. A connection that breaks later may have been a call that was served. */
const unconnected: readonly string[] = [
  'ConnectionRefused',
  'FailedToOpenSocket',
  'ECONNREFUSED',
  'ENOTFOUND',
]

/** Null for a failure after which nothing may be tried again. */
function faultOf(failure: unknown): UpstreamFault | null {
  if (failure instanceof RefusedCall)
    return { status: failure.status, askedDelayMs: readRetryDelay(failure.reply) }
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : ''
  return unconnected.includes(code) ? { status: null, askedDelayMs: null } : null
}
