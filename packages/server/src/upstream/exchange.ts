// One exchange with an upstream over real HTTP, whatever it speaks: its key, its deadline, its retries, and what its failures mean.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { ByteReader, type ReadPiece } from './byte-reader.ts'
import { Deadline } from './deadline.ts'
import { decideRetry, isSurelyUndone, type Repeatable, type UpstreamFault } from './decide-retry.ts'
import type { KeyFault, KeyRing, UpstreamKey } from './key-ring.ts'
import type { PatientTimers } from './patient-timers.ts'
import { readErrorBody, readWhole, requireIdentity, type WholeReply } from './read-whole.ts'
import { redact } from './redact.ts'
import type { ReplyBounds, UpstreamEndpoint, UpstreamTimeouts } from './reply-limits.ts'
import { explain, faultOf, RefusedCall } from './upstream-failure.ts'
import { describeCause, describeFailedTry, describeSuccess, type ReportTry } from './upstream-try.ts'

export type Fetch = (url: string, init: BunFetchRequestInit) => Promise<Response>

export type ExchangeDependencies = {
  readonly fetch: Fetch
  /** Null for an upstream that asks for none. */
  readonly keys: KeyRing | null
  readonly timeouts: UpstreamTimeouts
  readonly bounds: ReplyBounds
  readonly timers: PatientTimers
  /** Further tries, after a pause, of a call that the upstream refused before doing any work. */
  readonly maximumRetries: number
  /** Resolves after so many ms; rejects when the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** In [0, 1). */
  readonly random: () => number
  /** How long the upstream took, to its last byte. */
  readonly observeUpstream?: (milliseconds: number) => void
  /** Told of each try; of a stream when it opens, and again if it breaks. */
  readonly reportTry?: ReportTry
  /** Told of each error after which the upstream has surely done, and billed, nothing. */
  readonly noteUndone?: (error: ApiError) => void
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
  /** Asked once for each key. */
  readonly writeHeaders: (secret: string) => Readonly<Record<string, string>>
  /** The secret must show neither in the error's message nor in its cause. */
  readonly mapError: (refusal: Refusal, secret: string) => ApiError
  /** What the upstream asked to wait, in ms; null when it did not say. */
  readonly readRetryDelay: (refusal: Refusal) => number | null
  /** Why the upstream turned the key down; null when the refusal is about the call, or about what this one asks for. */
  readonly judgeKey: (refusal: Refusal) => KeyFault | null
}

export type ExchangeRequest = {
  readonly url: string
  /** Written as JSON, unless it is a form, or JSON already. A request without one is a GET. */
  readonly body?: object | FormData | Uint8Array
  readonly endpoint: UpstreamEndpoint
  /** Null for a call that is not to be stopped. */
  readonly signal: AbortSignal | null
  /** Beside the dialect's, which count where both have one. */
  readonly headers?: Readonly<Record<string, string>>
  /** In place of the dialect's. */
  readonly mapError?: Dialect['mapError']
  /** For what belongs to one key. Otherwise each try takes the next one. */
  readonly key?: UpstreamKey
  /** `call` unless said. */
  readonly repeatable?: Repeatable
}

/** A reply under way. It must be closed, or its signal aborted: both end the deadline and stop the upstream. */
export type UpstreamStream = {
  /** The id of the key that it was asked with; null where none is used. */
  readonly upstreamKey: string | null
  readonly contentType: string | null
  /** Within the bounds of a stream: throws ApiError `upstream_error` beyond them. */
  readonly read: () => Promise<ReadPiece>
  /** At most so long is read on: for an answer that is complete, whether or not the upstream closes. */
  readonly endWithin: (milliseconds: number) => void
  /** What the upstream says, without our key and what else is ours. */
  readonly redact: (text: string) => string
  readonly mapError: (status: number, body: unknown) => ApiError
  /** What a failure while reading means. */
  readonly explain: (cause: unknown) => ApiError
  readonly close: () => void
}

type Asked = Pick<ExchangeRequest, 'endpoint' | 'signal'>

type Sent = { readonly response: Response; readonly key: UpstreamKey }

const noKey: UpstreamKey = { id: '', secret: '' }
const jsonHeaders = { 'content-type': 'application/json', 'accept-encoding': 'identity' } as const
// A form brings its own type, with its boundary; a GET has none.
const otherHeaders = { 'accept-encoding': 'identity' } as const

/** How everything is sent: made at once, since copying members costs more than all the rest. */
export function prepare(headers: Readonly<Record<string, string>>, signal: AbortSignal): BunFetchRequestInit {
  return {
    headers,
    signal,
    // The key rides along: it must not follow a redirect.
    redirect: 'manual',
    // Nothing small may unfold into something large: what is compressed all the same is refused unread.
    decompress: false,
    // Bun's own time-out would cut calls that are silent for 5 minutes; the deadline is ours.
    timeout: false,
  }
}

const nobody = (): void => undefined
const noFurtherTry = { willRetry: false, movesOn: false } as const

export class Exchange {
  readonly #dependencies: ExchangeDependencies
  readonly #dialect: Dialect
  readonly #observeUpstream: (milliseconds: number) => void
  readonly #reportTry: ReportTry
  /** Of a request with a body of JSON and no headers of its own, by the secret of the key. */
  readonly #headers = new Map<string, Readonly<Record<string, string>>>()

  constructor(dependencies: ExchangeDependencies, dialect: Dialect) {
    this.#dependencies = dependencies
    this.#dialect = dialect
    this.#observeUpstream = dependencies.observeUpstream ?? nobody
    this.#reportTry = dependencies.reportTry ?? nobody
  }

  /** What `read` makes of a reply of 200. Throws ApiError `upstream_*` or `model_not_found`. */
  async call<Reply>(
    request: ExchangeRequest,
    read: (reply: WholeReply, key: UpstreamKey) => Reply | Promise<Reply>,
  ): Promise<Reply> {
    const { bounds, timers } = this.#dependencies
    const started = performance.now()
    const deadline = this.#startDeadline(request)
    try {
      const { response, key } = await this.#send(request, deadline)
      try {
        const most = bounds.replyBytes[request.endpoint]
        const reading = readWhole(response, most, bounds, timers, deadline.expire)
        const reply = reading instanceof Promise ? await reading : reading
        try {
          const result = await read(reply, key)
          this.#reportSuccess(request, key)
          return result
        } finally {
          reply.release()
        }
      } catch (cause) {
        throw this.#explainReply(request, key, cause, deadline)
      }
    } finally {
      deadline.end()
      this.#observeUpstream(performance.now() - started)
    }
  }

  /** The parsed reply of 200. Throws like `call`. */
  callJson(request: ExchangeRequest): Promise<unknown> {
    return this.call(request, readJson)
  }

  /** The same, with the id of the key that it was asked with; null where none is used. */
  callWithKey(request: ExchangeRequest): Promise<KeyedJson> {
    return this.call(request, readKeyedJson)
  }

  /** A streamed reply, once the upstream has answered 200. Throws like `call`. */
  async open(request: ExchangeRequest): Promise<UpstreamStream> {
    const { bounds, timers } = this.#dependencies
    const started = performance.now()
    const deadline = this.#startDeadline(request)
    try {
      const { response, key } = await this.#send(request, deadline)
      const { headers } = response
      const body = this.#requireBody(request, response, key, deadline)
      this.#reportSuccess(request, key)
      const { streamBytes: mostBytes, silenceMs } = bounds
      const reader = new ByteReader(body, { mostBytes, silenceMs }, timers, deadline.expire)
      const mapError = request.mapError ?? this.#dialect.mapError
      // Not the request, whose body would live as long as the stream.
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
          this.#observeUpstream(performance.now() - started)
        },
      }
    } catch (cause) {
      deadline.stop()
      throw cause
    }
  }

  /**
   * A file, of whatever status: its body is not read, so only the caller's own signal stops it once this has resolved. `follow`
   * turns the first reply into the one that counts, within the time-out.
   */
  async openFile(
    request: ExchangeRequest & { readonly key: UpstreamKey },
    follow: (first: Response, signal: AbortSignal) => Promise<Response>,
  ): Promise<Response> {
    const { key } = request
    const deadline = this.#startDeadline(request)
    try {
      const first = await this.#dependencies.fetch(
        request.url,
        this.#write(request, key, undefined, deadline),
      )
      const response = await follow(first, deadline.signal)
      const { status, headers } = response
      if (status < 300 || status === 416) this.#reportSuccess(request, key, status)
      else
        this.#reportFailure(
          request,
          key,
          status,
          this.#mapError(request, { status, body: null, headers }, key),
        )
      return response
    } catch (cause) {
      const error = explain(cause, deadline)
      this.#reportFailure(request, key, null, error)
      deadline.end()
      throw error
    } finally {
      deadline.endLimit()
    }
  }

  #startDeadline({ endpoint, signal }: ExchangeRequest): Deadline {
    return new Deadline(this.#dependencies.timers, this.#dependencies.timeouts[endpoint], signal)
  }

  /** A reply of 200, and the key that it was given for. */
  async #send(request: ExchangeRequest, deadline: Deadline): Promise<Sent> {
    const { fetch, keys, maximumRetries, random, noteUndone } = this.#dependencies
    const body = writeBody(request.body)
    /** Further tries after a pause, and with another key at once. */
    let retries = 0
    let moves = 0
    for (;;) {
      const epoch = keys === null ? 0 : keys.epoch
      const key = request.key ?? keys?.next() ?? noKey
      try {
        const response = await fetch(request.url, this.#write(request, key, body, deadline))
        if (response.status === 200) {
          keys?.noteSuccess(key, epoch)
          return { response, key }
        }
        throw await this.#readRefusal(request, response, key)
      } catch (failure) {
        const fault = faultOf(failure)
        const error = failure instanceof RefusedCall ? failure.error : explain(failure, deadline)
        const canMove = this.#noteKey(request, key, failure, epoch) && moves < (keys?.size ?? 0)
        const movesOn = canMove && deadline.signal.aborted === false
        const delay =
          fault === null || movesOn || retries >= maximumRetries
            ? null
            : decideRetry(fault, retries, random(), request.repeatable)
        const willRetry = movesOn || delay !== null
        this.#reportFailure(request, key, fault?.status ?? null, error, { willRetry, movesOn })
        if (!willRetry) {
          if (fault !== null && isUndone(fault, failure, request.repeatable)) noteUndone?.(error)
          throw error
        }
        // Each try of an order has the whole time: one that is given up may have been taken.
        if (request.repeatable === 'order') deadline.restart(delay ?? 0)
        if (delay === null) {
          moves += 1
          continue
        }
        retries += 1
        await this.#wait(delay, deadline)
      }
    }
  }

  /** Tells the ring when the upstream has turned the key down. True when the call can go on with another key: nothing was done yet. */
  #noteKey(request: ExchangeRequest, key: UpstreamKey, failure: unknown, epoch: number): boolean {
    const { keys } = this.#dependencies
    if (keys === null || !(failure instanceof RefusedCall) || failure.keyFault === null) return false
    const { keyFault: fault, error } = failure
    const { askedDelayMs } = failure.fault
    keys.noteFailure(key, { fault, askedDelayMs, cause: describeCause(error, key.secret) }, epoch)
    return request.key === undefined && request.repeatable !== 'never' && keys.hasReady()
  }

  async #wait(milliseconds: number, deadline: Deadline): Promise<void> {
    try {
      await this.#dependencies.wait(milliseconds, deadline.signal)
    } catch (cause) {
      throw explain(cause, deadline)
    }
  }

  /** `body`: as `writeBody` gives it; undefined for a GET. */
  #write(
    request: ExchangeRequest,
    { secret }: UpstreamKey,
    body: string | FormData | Uint8Array | undefined,
    deadline: Deadline,
  ): BunFetchRequestInit {
    const init = prepare(this.#writeHeaders(request, secret), deadline.signal)
    if (body === undefined) return init
    init.method = 'POST'
    init.body = body
    return init
  }

  #writeHeaders({ body, headers }: ExchangeRequest, secret: string): Readonly<Record<string, string>> {
    const isJson = body !== undefined && !(body instanceof FormData)
    if (!isJson || headers !== undefined)
      return { ...(isJson ? jsonHeaders : otherHeaders), ...headers, ...this.#dialect.writeHeaders(secret) }
    const known = this.#headers.get(secret)
    if (known !== undefined) return known
    const written = { ...jsonHeaders, ...this.#dialect.writeHeaders(secret) }
    this.#headers.set(secret, written)
    return written
  }

  async #readRefusal(request: ExchangeRequest, response: Response, key: UpstreamKey): Promise<RefusedCall> {
    const { status, headers } = response
    const { bounds, timers } = this.#dependencies
    const refusal = { status, headers, body: await readErrorBody(response, bounds.silenceMs, timers) }
    const askedDelayMs = this.#dialect.readRetryDelay(refusal)
    const keyFault = this.#dialect.judgeKey(refusal)
    return new RefusedCall(this.#mapError(request, refusal, key), { status, askedDelayMs }, keyFault)
  }

  #mapError({ mapError }: ExchangeRequest, refusal: Refusal, { secret }: UpstreamKey): ApiError {
    return (mapError ?? this.#dialect.mapError)(refusal, secret)
  }

  #requireBody(request: ExchangeRequest, response: Response, key: UpstreamKey, deadline: Deadline) {
    try {
      requireIdentity(response)
      if (response.body === null) throw new Error('The stream has no body.')
      return response.body
    } catch (cause) {
      throw this.#explainReply(request, key, cause, deadline)
    }
  }

  /** What is wrong with a reply of 200, once it is known. */
  #explainReply(request: Asked, key: UpstreamKey, cause: unknown, deadline: Deadline): ApiError {
    const error = explain(cause, deadline)
    this.#reportFailure(request, key, 200, error)
    return error
  }

  #reportSuccess({ endpoint }: ExchangeRequest, { secret }: UpstreamKey, status = 200): void {
    this.#reportTry(describeSuccess({ endpoint, secret, status }))
  }

  #reportFailure(
    { endpoint, signal }: Asked,
    { secret }: UpstreamKey,
    status: number | null,
    error: ApiError,
    further: { readonly willRetry: boolean; readonly movesOn: boolean } = noFurtherTry,
  ): void {
    const hasLeft = signal?.aborted === true
    this.#reportTry(describeFailedTry({ endpoint, secret, status }, error, { hasLeft, ...further }))
  }
}

/** A key that was turned down did no work either. */
function isUndone(fault: UpstreamFault, failure: unknown, repeatable: Repeatable | undefined): boolean {
  return isSurelyUndone(fault, repeatable) || (failure instanceof RefusedCall && failure.keyFault !== null)
}

function writeBody(body: ExchangeRequest['body']): string | FormData | Uint8Array | undefined {
  if (body === undefined || body instanceof FormData || body instanceof Uint8Array) return body
  return JSON.stringify(body)
}

export type KeyedJson = { readonly json: unknown; readonly upstreamKey: string | null }

function readKeyedJson(reply: WholeReply, key: UpstreamKey): KeyedJson | Promise<KeyedJson> {
  const upstreamKey = idOf(key)
  const json = reply.json()
  return json instanceof Promise ? json.then(read => ({ json: read, upstreamKey })) : { json, upstreamKey }
}

/** Null where no key is used. */
export function idOf({ id }: UpstreamKey): string | null {
  return id === '' ? null : id
}

function readJson(reply: WholeReply): unknown {
  return reply.json()
}
