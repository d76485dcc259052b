// One exchange with an upstream over real HTTP, whatever it speaks: its key, its deadline, its retries, and what its failures mean.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { type ByteReader, createByteReader } from './byte-reader.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { decideRetry } from './decide-retry.ts'
import type { KeyRing } from './key-ring.ts'
import { readErrorBody, readWhole, requireIdentity, type WholeReply } from './read-whole.ts'
import { redact } from './redact.ts'
import type { ReplyBounds } from './reply-bounds.ts'
import type { UpstreamEndpoint, UpstreamTimeouts } from './timeouts.ts'
import { explain, faultOf, RefusedCall } from './upstream-failure.ts'
import { describeFailedTry, describeSuccess, type ReportTry } from './upstream-try.ts'

export type ExchangeDependencies = {
  readonly fetch: (url: string, init: BunFetchRequestInit) => Promise<Response>
  /** Null for an upstream that asks for none. */
  readonly keys: Pick<KeyRing, 'next'> | null
  readonly timeouts: UpstreamTimeouts
  readonly bounds: ReplyBounds
  /** Further tries of a call that the upstream refused before doing any work. */
  readonly maximumRetries: number
  /** Resolves after so many ms; rejects when the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** In [0, 1). */
  readonly random: () => number
  /** How long the upstream took, to its last byte. */
  readonly observeUpstream?: (milliseconds: number) => void
  /** Told of each try; of a stream when it opens, and again if it breaks. */
  readonly reportTry?: ReportTry
}

/** A reply other than 200. */
export type Refusal = {
  readonly status: number
  /** Parsed, of a long one its beginning; null for what is no JSON. */
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
  /** Beside the dialect's, which count where both have one. */
  readonly headers?: Readonly<Record<string, string>>
  /** In place of the dialect's. */
  readonly mapError?: Dialect['mapError']
}

/** What the upstream says, without our key and what else is ours. */
export type Shown = (text: string) => string

export type ByteSource = { readonly getReader: () => Pick<ByteReader, 'read'> }

/** A reply under way. It must be closed, or its signal aborted: both end the deadline and stop the upstream. */
export type UpstreamStream = {
  /** Within the bounds of a stream: reading throws ApiError `upstream_error` beyond them. */
  readonly body: ByteSource
  /** At most so long is read on: for an answer that is complete, whether or not the upstream closes. */
  readonly endWithin: (milliseconds: number) => void
  readonly contentType: string | null
  readonly shown: Shown
  readonly mapError: (status: number, body: unknown) => ApiError
  /** What a failure while reading means. */
  readonly explain: (cause: unknown) => ApiError
  readonly close: () => void
}

export type Exchange = {
  /** What `read` makes of a reply of 200. Throws ApiError `upstream_*` or `model_not_found`. */
  readonly call: <Reply>(
    request: ExchangeRequest,
    read: (reply: WholeReply, shown: Shown) => Reply | Promise<Reply>,
  ) => Promise<Reply>
  /** The body of a streamed reply, once the upstream has answered 200. Throws like `call`. */
  readonly open: (request: ExchangeRequest) => Promise<UpstreamStream>
}

export function createExchange(dependencies: ExchangeDependencies, dialect: Dialect): Exchange {
  const { fetch, keys, timeouts, bounds, observeUpstream = () => undefined } = dependencies
  const { reportTry = () => undefined } = dependencies
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
        ...request.headers,
        ...dialect.writeHeaders(secret),
      },
      body,
      signal: deadline.signal,
      // The key rides along: it must not follow a redirect.
      redirect: 'manual',
      // Nothing small may unfold into something large: what is compressed all the same is refused unread.
      decompress: false,
      // Bun's own time-out would cut calls that are silent for 5 minutes; the deadline is ours.
      timeout: false,
    })
    if (response.status === 200) return response
    const { status, headers } = response
    const refusal = { status, headers, body: await readErrorBody(response, bounds.silenceMs) }
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
        const error = failure instanceof RefusedCall ? failure.error : explain(failure, deadline)
        const tried = { endpoint: request.endpoint, secret, status: fault?.status ?? null }
        reportTry(describeFailedTry(tried, error, { hasLeft: hasLeft(request), willRetry: delay !== null }))
        if (delay === null) throw error
        await wait(delay, deadline.signal)
      }
    }
  }

  /** What is wrong with a reply of 200, once it is known. */
  const explainReply = (request: ExchangeRequest, secret: string, cause: unknown, deadline: Deadline) => {
    const error = explain(cause, deadline)
    const tried = { endpoint: request.endpoint, secret, status: 200 }
    reportTry(describeFailedTry(tried, error, { hasLeft: hasLeft(request) }))
    return error
  }

  const requireBody = (request: ExchangeRequest, response: Response, secret: string, deadline: Deadline) => {
    try {
      requireIdentity(response)
      if (response.body === null) throw new Error('The stream has no body.')
      return response.body
    } catch (cause) {
      throw explainReply(request, secret, cause, deadline)
    }
  }

  return Object.freeze({
    call: async <Reply>(
      request: ExchangeRequest,
      read: (reply: WholeReply, shown: Shown) => Reply | Promise<Reply>,
    ) => {
      const started = performance.now()
      const deadline = startDeadline(timeouts[request.endpoint], request.signal)
      try {
        const { response, secret } = await sendRetrying(request, deadline)
        try {
          const reply = await readWhole(response, bounds.replyBytes[request.endpoint], bounds, deadline)
          try {
            const result = await read(reply, text => redact(text, secret))
            reportTry(describeSuccess({ endpoint: request.endpoint, secret, status: 200 }))
            return result
          } finally {
            reply.release()
          }
        } catch (cause) {
          throw explainReply(request, secret, cause, deadline)
        }
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
        const { headers } = response
        const body = requireBody(request, response, secret, deadline)
        reportTry(describeSuccess({ endpoint: request.endpoint, secret, status: 200 }))
        const { streamBytes: mostBytes, silenceMs } = bounds
        const reader = createByteReader(body, { mostBytes, silenceMs }, deadline)
        return {
          body: { getReader: () => reader },
          endWithin: reader.endWithin,
          contentType: headers.get('content-type'),
          shown: text => redact(text, secret),
          mapError: (status: number, reply: unknown) =>
            (request.mapError ?? dialect.mapError)({ status, body: reply, headers }, secret),
          explain: (cause: unknown) => explainReply(request, secret, cause, deadline),
          close: () => {
            reader.close()
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

function hasLeft({ signal }: ExchangeRequest): boolean {
  return signal?.aborted === true
}

function writeBody(body: ExchangeRequest['body']): string | FormData | Uint8Array {
  return body instanceof FormData || body instanceof Uint8Array ? body : JSON.stringify(body)
}

const jsonType = { 'content-type': 'application/json' } as const
