// What became of a call that failed: whether it may be tried again, and what its client is told.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Deadline } from './deadline.ts'
import type { UpstreamFault } from './decide-retry.ts'
import type { KeyFault } from './key-ring.ts'

/** The upstream answered with an error. */
export class RefusedCall extends Error {
  readonly error: ApiError
  readonly fault: UpstreamFault
  /** Why it turned the key down; null for a refusal of the call itself. */
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

/** What the client is told: a failure is its own ApiError, our time-out, or the upstream's silence. */
export function explain(cause: unknown, deadline: Deadline): ApiError {
  if (cause instanceof ApiError) return cause
  if (deadline.isExpired()) return new ApiError('upstream_timeout', { cause })
  return new ApiError('upstream_error', {
    message: 'The model provider could not be reached or broke off its answer.',
    cause,
  })
}

/** A reply of status 200 in which nothing stands: a failure of the upstream, for which nobody pays. */
export function emptyAnswer(): ApiError {
  return new ApiError('upstream_error', { message: 'The model provider sent an empty answer.' })
}
