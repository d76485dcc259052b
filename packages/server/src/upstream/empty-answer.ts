// What a reply of status 200 is in which nothing stands: a failure of the upstream, for which nobody pays.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'

export function emptyAnswer(): ApiError {
  return new ApiError('upstream_error', { message: 'The model provider sent an empty answer.' })
}
