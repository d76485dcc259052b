// The error that callers of the store get when it cannot be used: every door answers it with 503 `unavailable`, without knowing the store.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { classifyFailure, type StoreFailureReason } from './classify-failure.ts'

export class StoreUnavailable extends ApiError {
  /** Null if only this statement was refused, and only now. */
  readonly reason: StoreFailureReason | null
  constructor(reason: StoreFailureReason | null, cause: unknown) {
    super('unavailable', { headers: { 'retry-after': reason === null ? '1' : '5' }, cause })
    this.name = 'StoreUnavailable'
    this.reason = reason
  }
}

/** True if neither the statement nor its rows are at fault: any other statement would fail as well. */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof StoreUnavailable || classifyFailure(error).scope !== 'statement'
}

/** True for a failure that the store itself reports, once for all callers; also if it is the cause of `error`. */
export function isReportedByStore(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return error.reason !== null
  return error instanceof Error && error.cause instanceof Error && isReportedByStore(error.cause)
}
