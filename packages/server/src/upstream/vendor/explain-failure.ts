// What a failed exchange with the vendor means to the caller, whatever was thrown on the way.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Deadline } from '../deadline.ts'
import { RefusedCall } from './exchange.ts'

/** `mapRefusal`: the vendor's error reply → ours, with the secret that must not show. */
export function explainFailure(
  cause: unknown,
  deadline: Deadline,
  mapRefusal: (status: number, reply: unknown, secret: string) => ApiError,
): ApiError {
  if (cause instanceof RefusedCall) return mapRefusal(cause.status, cause.reply, cause.secret)
  if (cause instanceof ApiError) return cause
  if (deadline.isExpired()) return new ApiError('upstream_timeout', { cause })
  return new ApiError('upstream_error', {
    message: 'The model provider could not be reached or broke off its answer.',
    cause,
  })
}
