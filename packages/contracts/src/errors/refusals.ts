// Helpers for the two most common refusals: a request with one invalid member, and a service that is temporarily unavailable.
import { ApiError } from './api-error.ts'

/** Builds a 400 `invalid_request`; `param` names the member at fault, such as `messages[0].content`. */
export function invalidRequest(param: string, message: string): ApiError {
  return new ApiError('invalid_request', { param, message })
}

/** Builds a 503 `unavailable` with the seconds after which clients may retry. `cause` is for the operator's log. */
export function unavailable(seconds: number, cause?: unknown, message?: string): ApiError {
  return new ApiError('unavailable', {
    headers: { 'retry-after': String(seconds) },
    cause,
    ...(message === undefined ? {} : { message }),
  })
}
