// One try at an upstream and what became of it: what operators see when a model provider fails.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { redact } from './redact.ts'

export type UpstreamTry = {
  /** What it was for: `chat`, `images`, … */
  readonly endpoint: string
  /** The last four characters of the key; null where none is used, or where four would be much of it. */
  readonly key: string | null
  /** Of the reply; null when none came. */
  readonly status: number | null
  /** `ok`, `client_left`, or the code of the error that a client would be told. */
  readonly outcome: string
  /** Why it failed, without our key; null for `ok` and `client_left`. */
  readonly cause: string | null
  readonly willRetry: boolean
}

export type ReportTry = (report: UpstreamTry) => void

type TriedWith = { readonly endpoint: string; readonly secret: string; readonly status: number | null }

export function describeSuccess({ endpoint, secret, status }: TriedWith): UpstreamTry {
  return { endpoint, key: lastFour(secret), status, outcome: 'ok', cause: null, willRetry: false }
}

/** `hasLeft`: the failure is the end that the client put to the call. */
export function describeFailedTry(
  { endpoint, secret, status }: TriedWith,
  error: ApiError,
  { hasLeft = false, willRetry = false }: { readonly hasLeft?: boolean; readonly willRetry?: boolean } = {},
): UpstreamTry {
  const key = lastFour(secret)
  if (hasLeft) return { endpoint, key, status, outcome: 'client_left', cause: null, willRetry: false }
  return { endpoint, key, status, outcome: error.code, cause: redact(tellCause(error), secret), willRetry }
}

/** The message of the error and of what lies under it. */
function tellCause(error: Error): string {
  const { cause } = error
  if (!(cause instanceof Error) || cause.message === error.message) return error.message
  return `${error.message} ${cause instanceof ApiError ? cause.message : `${cause.name}: ${cause.message}`}`
}

function lastFour(secret: string): string | null {
  return secret.length < 12 ? null : `…${secret.slice(-4)}`
}
