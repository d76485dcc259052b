// The two refusals that most code makes: a request that is wrong in one place, and a service that cannot answer just now.
import { ApiError } from './api-error.ts'

/** 400 `invalid_request`; `param` names the member at fault, such as `messages[0].content`. */
export function invalidRequest(param: string, message: string): ApiError {
  return new ApiError('invalid_request', { param, message })
}

/** 503 `unavailable`; clients may try again after so many seconds. `cause` is for the operator's log. */
export function unavailable(seconds: number, cause?: unknown, message?: string): ApiError {
  return new ApiError('unavailable', {
    headers: { 'retry-after': String(seconds) },
    cause,
    ...(message === undefined ? {} : { message }),
  })
}
