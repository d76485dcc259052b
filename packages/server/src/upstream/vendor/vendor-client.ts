// One exchange with the vendor over real HTTP: its key, its deadline, and what its failures mean.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { type Deadline, startDeadline } from '../deadline.ts'
import { decideRetry, type UpstreamFault } from '../decide-retry.ts'
import type { KeyRing } from './key-ring.ts'
import { mapVendorError, readRetryDelay } from './map-vendor-error.ts'

export type VendorClientDependencies = {
  readonly fetch: (url: string, init: BunFetchRequestInit) => Promise<Response>
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly keys: Pick<KeyRing, 'next'>
  /** From sending to the last byte. */
  readonly timeoutMs: number
  /** Further tries of a call that the upstream refused before doing any work. */
  readonly maximumRetries: number
  /** Resolves after so many ms; rejects when the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** In [0, 1). */
  readonly random: () => number
  /** How long the upstream took, to its last byte. */
  readonly observeUpstream?: (milliseconds: number) => void
}

export type VendorCall = {
  /** After the version: `models/<id>:generateContent`. */
  readonly path: string
  readonly body: object
  readonly signal: AbortSignal | null
}

/** A reply under way. It must be closed, or its signal aborted: both end the deadline and stop the upstream. */
export type VendorStream = {
  readonly body: ReadableStream<Uint8Array>
  readonly mapError: (status: number, body: unknown) => ApiError
  /** What a failure while reading means. */
  readonly explain: (cause: unknown) => ApiError
  readonly close: () => void
}

export type VendorClient = {
  /** The parsed reply of a unary call. Throws ApiError `upstream_*` or `model_not_found`. */
  readonly call: (call: VendorCall) => Promise<unknown>
  /** The body of a streamed reply, once the upstream has answered 200. Throws like `call`. */
  readonly open: (call: VendorCall) => Promise<VendorStream>
}

export function createVendorClient(dependencies: VendorClientDependencies): VendorClient {
  const { fetch, baseUrl, keys, timeoutMs, observeUpstream = () => undefined } = dependencies
  const { maximumRetries, wait, random } = dependencies

  const send = async ({ path, body }: VendorCall, key: string, deadline: Deadline): Promise<Response> => {
    const response = await fetch(`${baseUrl}/v1beta/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': key, 'accept-encoding': 'identity' },
      body: JSON.stringify(body),
      signal: deadline.signal,
      // The key rides along: it must not follow a redirect.
      redirect: 'manual',
      // Bun's own time-out would cut calls that are silent for 5 minutes; the deadline is ours.
      timeout: false,
    })
    if (response.status === 200) return response
    const { status } = response
    const reply: unknown = await response.json().catch(() => null)
    throw new RefusedCall(mapVendorError(status, reply, key), { status, askedDelayMs: readRetryDelay(reply) })
  }

  /** Each try takes the next key. */
  const sendRetrying = async (
    call: VendorCall,
    deadline: Deadline,
  ): Promise<{ response: Response; key: string }> => {
    for (let attempt = 0; ; attempt += 1) {
      const key = keys.next().secret
      try {
        return { response: await send(call, key, deadline), key }
      } catch (failure) {
        const fault = faultOf(failure)
        const delay =
          fault === null || attempt >= maximumRetries ? null : decideRetry(fault, attempt, random())
        if (delay === null) throw failure instanceof RefusedCall ? failure.error : failure
        await wait(delay, deadline.signal)
      }
    }
  }

  return Object.freeze({
    call: async (call: VendorCall) => {
      const started = performance.now()
      const deadline = startDeadline(timeoutMs, call.signal)
      try {
        const { response } = await sendRetrying(call, deadline)
        return await response.json()
      } catch (cause) {
        throw explain(cause, deadline)
      } finally {
        deadline.end()
        observeUpstream(performance.now() - started)
      }
    },

    open: async (call: VendorCall) => {
      const started = performance.now()
      const deadline = startDeadline(timeoutMs, call.signal)
      try {
        const { response, key } = await sendRetrying(call, deadline)
        const { body } = response
        if (body === null) throw new Error('The stream has no body.')
        return {
          body,
          mapError: (status: number, reply: unknown) => mapVendorError(status, reply, key),
          explain: (cause: unknown) => explain(cause, deadline),
          close: () => {
            deadline.stop()
            observeUpstream(performance.now() - started)
          },
        }
      } catch (cause) {
        deadline.stop()
        throw explain(cause, deadline)
      }
    },
  })
}

/** The upstream answered with an error. */
class RefusedCall extends Error {
  readonly error: ApiError
  readonly fault: UpstreamFault

  constructor(error: ApiError, fault: UpstreamFault) {
    super(error.message)
    this.error = error
    this.fault = fault
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
  if (failure instanceof RefusedCall) return failure.fault
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : ''
  return unconnected.includes(code) ? { status: null, askedDelayMs: null } : null
}

function explain(cause: unknown, deadline: Deadline): ApiError {
  if (cause instanceof ApiError) return cause
  if (deadline.isExpired()) return new ApiError('upstream_timeout', { cause })
  return new ApiError('upstream_error', {
    message: 'The model provider could not be reached or broke off its answer.',
    cause,
  })
}
