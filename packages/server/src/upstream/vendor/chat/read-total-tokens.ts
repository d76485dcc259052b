// The figure in the vendor's countTokens reply.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { asRecord } from '../../narrow-json.ts'

/** Throws ApiError `upstream_error` when it is not a count. */
export function readTotalTokens(reply: unknown): number {
  const total = asRecord(reply)?.totalTokens
  if (typeof total !== 'number' || !Number.isSafeInteger(total) || total < 0) {
    throw new ApiError('upstream_error')
  }
  return total
}
