// Sends a request until the upstream answers 200: each try with a key of its own, and another, with another key or after a pause,
// only if nothing was done.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Deadline, PatientTimers } from '../world/patient-timers.ts'
import type { Asker, KeyFault, KeyRing, UpstreamKey } from './key-ring.ts'
import { readErrorBody } from './read-whole.ts'
import type { ReplyBounds, UpstreamEndpoint } from './reply-limits.ts'
import {
  decideRetry,
  explain,
  faultOf,
  isSurelyUndone,
  RefusedCall,
  type Repeatable,
  type UpstreamFault,
} from './upstream-failure.ts'
import { describeCause, describeTry, type ReportTry } from './upstream-tries.ts'

export type Fetch = (url: string, init: BunFetchRequestInit) => Promise<Response>

export type SenderDependencies = {
  readonly fetch: Fetch
  /** Null for an upstream that needs none. */
  readonly keys: KeyRing | null
  readonly bounds: ReplyBounds
  readonly timers: PatientTimers
  /** Retries, after a pause, of a call that the upstream refused before doing any work. */
  readonly maximumRetries: number
  /** Resolves after so many ms; rejects when the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** In [0, 1). */
  readonly random: () => number
  /** Called for each try; for a stream when it opens, and again if it breaks. */
  readonly reportTry?: ReportTry
  /** Called for each error after which the upstream has certainly done, and billed, nothing. */
  readonly noteUndone?: (error: ApiError) => void
}

/** A reply other than 200. */
export type Refusal = {
  readonly status: number
  /** Parsed, or its beginning if it is long; null if it is not JSON. */
  readonly body: unknown
  readonly headers: Headers
}

/** How one kind of upstream is addressed, and how it refuses. `secret` is '' if no key is used. */
export type Dialect = {
  /** Called once for each key. */
  readonly writeHeaders: (secret: string) => Readonly<Record<string, string>>
  /** The secret must appear neither in the error's message nor in its cause. */
  readonly mapError: (refusal: Refusal, secret: string) => ApiError
  /** The requested wait, in ms; null if the upstream named none. */
  readonly readRetryDelay: (refusal: Refusal) => number | null
  /** Why the upstream rejected the key; null if the refusal is about the call, or about what it requests. */
  readonly judgeKey: (refusal: Refusal) => KeyFault | null
  /** True if the upstream said that the key itself is not valid, which no request can provoke. */
  readonly isKeyInvalid: (refusal: Refusal) => boolean
}

/** The body of a request that names files in the upstream's own store: each key has its own. */
export type KeyedBody = {
  /** Uploads what the key does not have yet. Throws RefusedCall, or ApiError `unavailable`. */
  readonly write: (key: UpstreamKey, signal: AbortSignal) => Promise<string | Uint8Array>
  /** The upstream no longer knows the files of the last body: the next one has new ones. */
  readonly forget: (key: UpstreamKey) => void
  /** Stops an upload, also for a call that is not to be stopped later. */
  readonly client: AbortSignal
}

export type UpstreamRequest = {
  readonly url: string
  /** Written as JSON, unless it is a form, or JSON already. A request without one is a GET. */
  readonly body?: object | FormData | Uint8Array
  /** In place of `body`. */
  readonly keyedBody?: KeyedBody | undefined
  readonly endpoint: UpstreamEndpoint
  readonly team: Asker
  /** Null for a call that is not to be stopped. */
  readonly signal: AbortSignal | null
  /** In addition to the dialect's, which count if both have one. */
  readonly headers?: Readonly<Record<string, string>>
  /** In place of the dialect's. */
  readonly mapError?: Dialect['mapError']
  /** For things that belong to one key. Otherwise each try uses the next one. */
  readonly key?: UpstreamKey
  /** Default: `call`. */
  readonly repeatable?: Repeatable
}

type Sent = { readonly response: Response; readonly key: UpstreamKey }

const noKey: UpstreamKey = { id: '', secret: '' }
const none: readonly never[] = []
const jsonHeaders = { 'content-type': 'application/json', 'accept-encoding': 'identity' } as const
// A form has its own type, with its boundary; a GET has none.
const otherHeaders = { 'accept-encoding': 'identity' } as const

/** The common options of all requests: created once, since copying members costs more than all the rest. */
export function prepare(headers: Readonly<Record<string, string>>, signal: AbortSignal): BunFetchRequestInit {
  return {
    headers,
    signal,
    // The key is sent along, so it must not follow a redirect.
    redirect: 'manual',
    // Nothing small may decompress into something large: a reply that is compressed anyway is refused unread.
    decompress: false,
    // Bun's own time-out would cut calls that are silent for 5 minutes; the deadline is ours.
    timeout: false,
  }
}

/** The tries of one request, one after another. The exchange reads the reply's body. */
export class Sender {
  readonly #dependencies: SenderDependencies
  readonly #dialect: Dialect
  /** For a request with a body of JSON and no headers of its own, by the secret of the key. */
  readonly #headers = new Map<string, Readonly<Record<string, string>>>()

  constructor(dependencies: SenderDependencies, dialect: Dialect) {
    this.#dependencies = dependencies
    this.#dialect = dialect
  }

  /** A reply of 200, and the key that it was given for. Throws ApiError. */
  async send(request: UpstreamRequest, deadline: Deadline): Promise<Sent> {
    const { fetch, keys, maximumRetries, random, noteUndone } = this.#dependencies
    const { keyedBody } = request
    const whole = writeBody(request.body)
    /** Keys whose files were uploaded again. */
    let renewed: readonly string[] = none
    /** Retries after a pause, and with another key at once. */
    let retries = 0
    let moves = 0
    for (;;) {
      const epoch = keys === null ? 0 : keys.epoch
      const key = request.key ?? keys?.next(request.team) ?? noKey
      try {
        const body = keyedBody === undefined ? whole : await keyedBody.write(key, deadline.signal)
        const response = await fetch(request.url, this.write(request, key, body, deadline.signal))
        if (response.status === 200) {
          keys?.noteSuccess(key, epoch, request.team)
          return { response, key }
        }
        throw await this.readRefusal(request, response, key)
      } catch (failure) {
        if (keyedBody !== undefined && isAboutFile(failure) && !renewed.includes(key.id)) {
          renewed = [...renewed, key.id]
          keyedBody.forget(key)
          continue
        }
        const fault = faultOf(failure)
        const error = failure instanceof RefusedCall ? failure.error : explain(failure, deadline)
        const canMove = this.#noteKey(request, key, failure, epoch) && moves < (keys?.size ?? 0)
        const movesOn = canMove && deadline.signal.aborted === false
        const delay =
          fault === null || movesOn || retries >= maximumRetries
            ? null
            : decideRetry(fault, retries, random(), request.repeatable)
        const willRetry = movesOn || delay !== null
        const hasLeft = keyedBody !== undefined && failure === keyedBody.client.reason
        this.reportFailure(request, key, fault?.status ?? null, error, { willRetry, movesOn, hasLeft })
        if (!willRetry) {
          if (fault !== null && isUndone(fault, failure, request.repeatable)) noteUndone?.(error)
          throw error
        }
        // Each try of an order has the whole time: one that is given up may have been accepted.
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

  /** Reports to the ring that the upstream has rejected the key. True if the call can continue with another key: nothing was done yet. */
  #noteKey(request: UpstreamRequest, key: UpstreamKey, failure: unknown, epoch: number): boolean {
    const { keys } = this.#dependencies
    if (keys === null || !(failure instanceof RefusedCall) || failure.keyFault === null) return false
    const { keyFault: fault, isKeyInvalid, error } = failure
    const { askedDelayMs } = failure.fault
    const cause = describeCause(error, key.secret)
    keys.noteFailure(key, { fault, askedDelayMs, cause, isKeyInvalid }, epoch, request.team)
    return request.key === undefined && request.repeatable !== 'never' && keys.hasReady(request.team)
  }

  async #wait(milliseconds: number, deadline: Deadline): Promise<void> {
    try {
      await this.#dependencies.wait(milliseconds, deadline.signal)
    } catch (cause) {
      throw explain(cause, deadline)
    }
  }

  /** What one try sends. */
  write(
    request: UpstreamRequest,
    { secret }: UpstreamKey,
    body: WrittenBody,
    signal: AbortSignal,
  ): BunFetchRequestInit {
    const init = prepare(this.#writeHeaders(request, secret), signal)
    if (body === undefined) return init
    init.method = 'POST'
    init.body = body
    return init
  }

  #writeHeaders(
    { body, keyedBody, headers }: UpstreamRequest,
    secret: string,
  ): Readonly<Record<string, string>> {
    const isJson = keyedBody !== undefined || (body !== undefined && !(body instanceof FormData))
    if (!isJson || headers !== undefined)
      return { ...(isJson ? jsonHeaders : otherHeaders), ...headers, ...this.#dialect.writeHeaders(secret) }
    const known = this.#headers.get(secret)
    if (known !== undefined) return known
    const written = { ...jsonHeaders, ...this.#dialect.writeHeaders(secret) }
    this.#headers.set(secret, written)
    return written
  }

  /** The meaning of a reply other than 200. */
  async readRefusal(request: UpstreamRequest, response: Response, key: UpstreamKey): Promise<RefusedCall> {
    const { status, headers } = response
    const { bounds, timers } = this.#dependencies
    const refusal = { status, headers, body: await readErrorBody(response, bounds.silenceMs, timers) }
    const askedDelayMs = this.#dialect.readRetryDelay(refusal)
    const error = this.mapError(request, refusal, key)
    const isKeyInvalid = this.#dialect.isKeyInvalid(refusal)
    return new RefusedCall(error, { status, askedDelayMs }, this.#dialect.judgeKey(refusal), isKeyInvalid)
  }

  mapError({ mapError }: UpstreamRequest, refusal: Refusal, { secret }: UpstreamKey): ApiError {
    return (mapError ?? this.#dialect.mapError)(refusal, secret)
  }

  reportSuccess({ endpoint }: UpstreamRequest, { secret }: UpstreamKey, status = 200): void {
    this.#dependencies.reportTry?.(describeTry({ endpoint, secret, status }, null))
  }

  reportFailure(
    { endpoint, signal }: Pick<UpstreamRequest, 'endpoint' | 'signal'>,
    { secret }: UpstreamKey,
    status: number | null,
    error: ApiError,
    further: { readonly willRetry?: boolean; readonly movesOn?: boolean; readonly hasLeft?: boolean } = {},
  ): void {
    const hasLeft = signal?.aborted === true || further.hasLeft === true
    this.#dependencies.reportTry?.(describeTry({ endpoint, secret, status }, error, { ...further, hasLeft }))
  }
}

/** A rejected key did no work either. */
function isUndone(fault: UpstreamFault, failure: unknown, repeatable: Repeatable | undefined): boolean {
  return isSurelyUndone(fault, repeatable) || (failure instanceof RefusedCall && failure.keyFault !== null)
}

/** Only a request with files of the upstream's store can be refused for one: they were deleted, or belong to another key. */
function isAboutFile(failure: unknown): boolean {
  if (!(failure instanceof RefusedCall) || failure.keyFault !== null) return false
  return failure.fault.status === 403 || failure.fault.status === 404
}

/** Undefined for a GET. */
export type WrittenBody = string | FormData | Uint8Array | undefined

function writeBody(body: UpstreamRequest['body']): WrittenBody {
  if (body === undefined || body instanceof FormData || body instanceof Uint8Array) return body
  return JSON.stringify(body)
}
