// One exchange with an upstream over real HTTP, whatever it speaks: its key, its deadline, its retries, and what its failures mean.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { decideRetry } from './decide-retry.ts'
import type { KeyRing } from './key-ring.ts'
import type { UpstreamEndpoint, UpstreamTimeouts } from './timeouts.ts'
import { explain, faultOf, RefusedCall } from './upstream-failure.ts'

export type ExchangeDependencies = {
  readonly fetch: (url: string, init: BunFetchRequestInit) => Promise<Response>
  /** Null for an upstream that asks for none. */
  readonly keys: Pick<KeyRing, 'next'> | null
  readonly timeouts: UpstreamTimeouts
  /** Further tries of a call that the upstream refused before doing any work. */
  readonly maximumRetries: number
  /** Resolves after so many ms; rejects when the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** In [0, 1). */
  readonly random: () => number
  /** How long the upstream took, to its last byte. */
  readonly observeUpstream?: (milliseconds: number) => void
}

/** A reply other than 200. */
export type Refusal = {
  readonly status: number
  /** Parsed; null for what is no JSON. */
  readonly body: unknown
  readonly headers: Headers
}

/** How one kind of upstream is addressed, and how it says no. `secret` is '' where no key is used. */
export type Dialect = {
  readonly writeHeaders: (secret: string) => Readonly<Record<string, string>>
  /** The secret must show neither in the error's message nor in its cause. */
  readonly mapError: (refusal: Refusal, secret: string) => ApiError
  /** What the upstream asked to wait, in ms; null when it did not say. */
  readonly readRetryDelay: (refusal: Refusal) => number | null
}

export type ExchangeRequest = {
  readonly url: string
  /** Written as JSON, unless it is a form, or JSON already. */
  readonly body: object | FormData | Uint8Array
  readonly endpoint: UpstreamEndpoint
  /** Null for a call that is not to be stopped. */
  readonly signal: AbortSignal | null
  /** In place of the dialect's. */
  readonly mapError?: Dialect['mapError']
}

/** A reply under way. It must be closed, or its signal aborted: both end the deadline and stop the upstream. */
export type UpstreamStream = {
  readonly body: ReadableStream<Uint8Array>
  readonly contentType: string | null
  readonly mapError: (status: number, body: unknown) => ApiError
  /** What a failure while reading means. */
  readonly explain: (cause: unknown) => ApiError
  readonly close: () => void
}

export type Exchange = {
  /** What `read` makes of a reply of 200. Throws ApiError `upstream_*` or `model_not_found`. */
  readonly call: <Reply>(
    request: ExchangeRequest,
    read: (response: Response) => Promise<Reply>,
  ) => Promise<Reply>
  /** The body of a streamed reply, once the upstream has answered 200. Throws like `call`. */
  readonly open: (request: ExchangeRequest) => Promise<UpstreamStream>
}

export function createExchange(dependencies: ExchangeDependencies, dialect: Dialect): Exchange {
  const { fetch, keys, timeouts, observeUpstream = () => undefined } = dependencies
  const { maximumRetries, wait, random } = dependencies

  const send = async (
    request: ExchangeRequest,
    body: string | FormData | Uint8Array,
    secret: string,
    deadline: Deadline,
  ): Promise<Response> => {
    const response = await fetch(request.url, {
      method: 'POST',
      headers: {
        // A form brings its own type, with its boundary.
        ...(body instanceof FormData ? {} : jsonType),
        'accept-encoding': 'identity',
        ...dialect.writeHeaders(secret),
      },
      body,
      signal: deadline.signal,
      // The key rides along: it must not follow a redirect.
      redirect: 'manual',
      // Bun's own time-out would cut calls that are silent for 5 minutes; the deadline is ours.
      timeout: false,
    })
    if (response.status === 200) return response
    const { status, headers } = response
    const refusal = { status, headers, body: await response.json().catch(() => null) }
    const mapError = request.mapError ?? dialect.mapError
    throw new RefusedCall(mapError(refusal, secret), {
      status,
      askedDelayMs: dialect.readRetryDelay(refusal),
    })
  }

  /** Each try takes the next key. */
  const sendRetrying = async (
    request: ExchangeRequest,
    deadline: Deadline,
  ): Promise<{ response: Response; secret: string }> => {
    const bytes = writeBody(request.body)
    for (let attempt = 0; ; attempt += 1) {
      const secret = keys === null ? '' : keys.next().secret
      try {
        return { response: await send(request, bytes, secret, deadline), secret }
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
    call: async <Reply>(request: ExchangeRequest, read: (response: Response) => Promise<Reply>) => {
      const started = performance.now()
      const deadline = startDeadline(timeouts[request.endpoint], request.signal)
      try {
        const { response } = await sendRetrying(request, deadline)
        return await read(response)
      } catch (cause) {
        throw explain(cause, deadline)
      } finally {
        deadline.end()
        observeUpstream(performance.now() - started)
      }
    },

    open: async (request: ExchangeRequest) => {
      const started = performance.now()
      const deadline = startDeadline(timeouts[request.endpoint], request.signal)
      try {
        const { response, secret } = await sendRetrying(request, deadline)
        const { body, headers } = response
        if (body === null) throw new Error('The stream has no body.')
        return {
          body,
          contentType: headers.get('content-type'),
          mapError: (status: number, reply: unknown) =>
            (request.mapError ?? dialect.mapError)({ status, body: reply, headers }, secret),
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

function writeBody(body: ExchangeRequest['body']): string | FormData | Uint8Array {
  return body instanceof FormData || body instanceof Uint8Array ? body : JSON.stringify(body)
}

const jsonType = { 'content-type': 'application/json' } as const
