// One exchange with an upstream over real HTTP, in any dialect: its deadline, its reply, and the meaning of its failures.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { Deadline } from '../world/patient-timers.ts'
import { ByteReader, type ReadPiece } from './byte-reader.ts'
import type { UpstreamKey } from './key-ring.ts'
import { readWhole, requireIdentity, type WholeReply } from './read-whole.ts'
import { redact } from './redact.ts'
import type { UpstreamTimeouts } from './reply-limits.ts'
import { type Dialect, Sender, type SenderDependencies, type UpstreamRequest } from './send-request.ts'
import { explain } from './upstream-failure.ts'

export type ExchangeDependencies = SenderDependencies & {
  readonly timeouts: UpstreamTimeouts
  /** How long the upstream took, to its last byte. */
  readonly observeUpstream?: (milliseconds: number) => void
}

/** A reply under way. It must be closed, or its signal aborted: both end the deadline and stop the upstream. */
export type UpstreamStream = {
  /** The id of the key that was used; null if there is none. */
  readonly upstreamKey: string | null
  readonly contentType: string | null
  /** Within the bounds of a stream: throws ApiError `upstream_error` beyond them. */
  readonly read: () => Promise<ReadPiece>
  /** Limits further reading to this time: for an answer that is complete, whether or not the upstream closes. */
  readonly endWithin: (milliseconds: number) => void
  /** The upstream's text, without our key and other internals. */
  readonly redact: (text: string) => string
  readonly mapError: (status: number, body: unknown) => ApiError
  /** The meaning of a failure while reading. */
  readonly explain: (cause: unknown) => ApiError
  readonly close: () => void
}

export class Exchange {
  readonly #dependencies: ExchangeDependencies
  readonly #dialect: Dialect
  readonly #sender: Sender

  constructor(dependencies: ExchangeDependencies, dialect: Dialect) {
    this.#dependencies = dependencies
    this.#dialect = dialect
    this.#sender = new Sender(dependencies, dialect)
  }

  /** The result of `read` for a reply of 200. Throws ApiError `upstream_*` or `model_not_found`. */
  async call<Reply>(
    request: UpstreamRequest,
    read: (reply: WholeReply, key: UpstreamKey) => Reply | Promise<Reply>,
  ): Promise<Reply> {
    const { bounds, timers } = this.#dependencies
    const started = performance.now()
    const deadline = this.#startDeadline(request)
    try {
      const { response, key } = await this.#sender.send(request, deadline)
      try {
        const most = bounds.replyBytes[request.endpoint]
        const reading = readWhole(response, most, bounds, timers, deadline.expire)
        const reply = reading instanceof Promise ? await reading : reading
        try {
          const result = await read(reply, key)
          this.#sender.reportSuccess(request, key)
          return result
        } finally {
          reply.release()
        }
      } catch (cause) {
        throw this.#explainReply(request, key, cause, deadline)
      }
    } finally {
      deadline.end()
      this.#dependencies.observeUpstream?.(performance.now() - started)
    }
  }

  /** The parsed reply of 200, with the id of the key that was used; null if there is none. Throws like `call`. */
  callJson(request: UpstreamRequest): Promise<KeyedJson> {
    return this.call(request, async (reply, key) => ({ json: await reply.json(), upstreamKey: idOf(key) }))
  }

  /** A streamed reply, once the upstream has answered 200. Throws like `call`. */
  async open(request: UpstreamRequest): Promise<UpstreamStream> {
    const { bounds, timers } = this.#dependencies
    const started = performance.now()
    const deadline = this.#startDeadline(request)
    try {
      const { response, key } = await this.#sender.send(request, deadline)
      const { headers } = response
      const body = this.#requireBody(request, response, key, deadline)
      this.#sender.reportSuccess(request, key)
      const { streamBytes: maxBytes, silenceMs } = bounds
      const reader = new ByteReader(body, { maxBytes, silenceMs }, timers, deadline.expire)
      const mapError = request.mapError ?? this.#dialect.mapError
      // Not the request: its body would live as long as the stream.
      const { endpoint, signal } = request
      return {
        upstreamKey: idOf(key),
        contentType: headers.get('content-type'),
        read: () => reader.read(),
        endWithin: milliseconds => reader.endWithin(milliseconds),
        redact: text => redact(text, key.secret),
        mapError: (status, said) => mapError({ status, body: said, headers }, key.secret),
        explain: cause => this.#explainReply({ endpoint, signal }, key, cause, deadline),
        close: () => {
          reader.close()
          // Each abort costs 10 µs, and after the last byte there is nothing to stop.
          if (reader.hasEnded) deadline.end()
          else deadline.stop()
          this.#dependencies.observeUpstream?.(performance.now() - started)
        },
      }
    } catch (cause) {
      deadline.stop()
      throw cause
    }
  }

  /**
   * A file, of any status: its body is not read, so only the caller's own signal stops it once this has resolved. `follow` turns the
   * first reply into the one that counts, within the time-out.
   */
  async openFile(
    request: UpstreamRequest & { readonly key: UpstreamKey },
    follow: (first: Response, signal: AbortSignal) => Promise<Response>,
  ): Promise<Response> {
    const { key } = request
    const deadline = this.#startDeadline(request)
    try {
      const first = await this.#dependencies.fetch(
        request.url,
        this.#sender.write(request, key, undefined, deadline.signal),
      )
      const response = await follow(first, deadline.signal)
      const { status, headers } = response
      if (status < 300 || status === 416) this.#sender.reportSuccess(request, key, status)
      else
        this.#sender.reportFailure(
          request,
          key,
          status,
          this.#sender.mapError(request, { status, body: null, headers }, key),
        )
      return response
    } catch (cause) {
      const error = explain(cause, deadline)
      this.#sender.reportFailure(request, key, null, error)
      deadline.end()
      throw error
    } finally {
      deadline.endLimit()
    }
  }

  #startDeadline({ endpoint, signal }: UpstreamRequest): Deadline {
    return new Deadline(this.#dependencies.timers, this.#dependencies.timeouts[endpoint], signal)
  }

  #requireBody(request: UpstreamRequest, response: Response, key: UpstreamKey, deadline: Deadline) {
    try {
      requireIdentity(response)
      if (response.body === null) throw new Error('The stream has no body.')
      return response.body
    } catch (cause) {
      throw this.#explainReply(request, key, cause, deadline)
    }
  }

  /** The fault of a reply of 200, once it is known. */
  #explainReply(
    request: Pick<UpstreamRequest, 'endpoint' | 'signal'>,
    key: UpstreamKey,
    cause: unknown,
    deadline: Deadline,
  ): ApiError {
    const error = explain(cause, deadline)
    this.#sender.reportFailure(request, key, 200, error)
    return error
  }
}

export type KeyedJson = { readonly json: unknown; readonly upstreamKey: string | null }

/** Null if no key is used. */
export function idOf({ id }: UpstreamKey): string | null {
  return id === '' ? null : id
}
