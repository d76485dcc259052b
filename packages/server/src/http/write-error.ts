// The one place that turns errors into replies outside the vendor pass-through.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'

/** A thrown value that is not an ApiError is our own failure: 500, and the client sees nothing of it. */
export function toApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : new ApiError('internal', { cause: thrown })
}

export function writeError(error: ApiError): Response {
  const response = Response.json(error.toBody(), { status: error.status, headers: error.headers })
  // RFC 9110, 11.6.1: a 401 shows how to authenticate.
  if (error.status === 401 && !response.headers.has('www-authenticate')) {
    response.headers.set('www-authenticate', 'Bearer')
  }
  return response
}
