// Classifies a failed call: whether it may be tried again, and the error for its client.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Deadline } from '../world/patient-timers.ts'
import type { KeyFault } from './key-ring.ts'

/** The upstream answered with an error. */
export class RefusedCall extends Error {
  readonly error: ApiError
  readonly fault: UpstreamFault
  /** Why it rejected the key; null for a refusal of the call itself. */
  readonly keyFault: KeyFault | null
  readonly isKeyInvalid: boolean

  constructor(error: ApiError, fault: UpstreamFault, keyFault: KeyFault | null, isKeyInvalid: boolean) {
    super(error.message)
    this.error = error
    this.fault = fault
    this.keyFault = keyFault
    this.isKeyInvalid = isKeyInvalid
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
export function faultOf(failure: unknown): UpstreamFault | null {
  if (failure instanceof RefusedCall) return failure.fault
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : ''
  return unconnected.includes(code) ? { status: null, askedDelayMs: null } : null
}

/** The error for the client: the failure's own ApiError, our time-out, or the upstream's silence. */
export function explain(cause: unknown, deadline: Deadline): ApiError {
  if (cause instanceof ApiError) return cause
  if (deadline.isExpired()) return new ApiError('upstream_timeout', { cause })
  return new ApiError('upstream_error', {
    message: 'The model provider could not be reached, or its answer was cut short.',
    cause,
  })
}

/** The meaning of a status without more details. `said`: the message to the client about a refusal of its request. */
export function mapStatus(status: number, said: { readonly message?: string }, cause: Error): ApiError {
  if (status === 400 || status === 413 || status === 422)
    return new ApiError('upstream_rejected', { ...said, cause })
  if (status === 503 || status === 529)
    return new ApiError('upstream_overloaded', { headers: { 'retry-after': '2' }, cause })
  return new ApiError(status === 504 || status === 408 ? 'upstream_timeout' : 'upstream_error', { cause })
}

/** `askedDelayMs`: the requested wait; null if the upstream named none. */
export function rateLimited(askedDelayMs: number | null, cause: Error): ApiError {
  const headers = { 'retry-after': writeRetryAfter(askedDelayMs, 5) }
  return new ApiError('upstream_rate_limited', { headers, cause })
}

export function missingModel(cause: Error): ApiError {
  const message = 'The model provider does not serve this model, or no longer does. Tell the organisers.'
  return new ApiError('model_not_found', { message, param: 'model', cause })
}

/** An empty reply of status 200: a failure of the upstream, which no one pays for. */
export function emptyAnswer(): ApiError {
  return new ApiError('upstream_error', { message: 'The model provider sent an empty answer.' })
}

// Decides whether a failed upstream call is tried again, and when: only if the upstream has certainly done, and billed, nothing.

export type UpstreamFault = {
  /** The upstream's HTTP status; null if there was no connection. */
  readonly status: number | null
  /** The requested wait, in ms; null if the upstream named none. */
  readonly askedDelayMs: number | null
}

/** An order makes something that outlives the request. `never`: the caller will ask again. */
export type Repeatable = 'call' | 'order' | 'never'

/** A time-out (408, 504) is not among them: the work may have been done. For an order, other failures may mean that it was accepted. */
const retryable: Readonly<Record<Repeatable, readonly (number | null)[]>> = {
  call: [429, 500, 502, 503, 529, null],
  order: [429, 503],
  never: [],
}

const firstDelayMs = 250
/** A caller waits no longer than this for one retry. */
const longestDelayMs = 4000

/** True if the upstream has certainly done, and billed, nothing: another one may be asked. */
export function isSurelyUndone(fault: UpstreamFault, repeatable: Repeatable = 'call'): boolean {
  return retryable[repeatable].includes(fault.status)
}

/**
 * Milliseconds to wait before the next try, or null for none. `attempt` counts from 0; `random` is in [0, 1). The delay doubles with
 * each try and is spread over its upper half, so that callers that failed together do not come back together.
 */
export function decideRetry(
  fault: UpstreamFault,
  attempt: number,
  random: number,
  repeatable: Repeatable = 'call',
): number | null {
  if (!isSurelyUndone(fault, repeatable)) return null
  if (fault.askedDelayMs !== null) return fault.askedDelayMs <= longestDelayMs ? fault.askedDelayMs : null
  return firstDelayMs * 2 ** attempt * (0.5 + random / 2)
}

const longestSeconds = 3600

/** Whole seconds within an hour. `milliseconds`: the requested wait; null if the upstream named none. */
export function writeRetryAfter(milliseconds: number | null, fallbackSeconds: number): string {
  const asked = milliseconds === null || Number.isNaN(milliseconds) ? fallbackSeconds : milliseconds / 1000
  return String(Math.min(longestSeconds, Math.max(1, Math.ceil(asked))))
}

/** Milliseconds; null if there is nothing usable. A date counts from the upstream's own clock, its `date` header. */
export function readRetryAfter(headers: Headers): number | null {
  const milliseconds = readNumber(headers.get('retry-after-ms'))
  if (milliseconds !== null) return milliseconds
  const text = headers.get('retry-after')
  const seconds = readNumber(text)
  if (seconds !== null) return seconds * 1000
  const wait = Date.parse(text ?? '') - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(wait) ? null : Math.max(0, wait)
}

function readNumber(text: string | null): number | null {
  return text !== null && /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : null
}
