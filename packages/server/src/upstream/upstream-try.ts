// One try at an upstream and what became of it: what operators see when a model provider fails.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { lastFour } from './key-ring.ts'
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
  /** The key was turned down, and the call goes on with another one at once: the ring tells of the key. */
  readonly movesOn: boolean
}

export type ReportTry = (report: UpstreamTry) => void

type TriedWith = { readonly endpoint: string; readonly secret: string; readonly status: number | null }

export function describeSuccess({ endpoint, secret, status }: TriedWith): UpstreamTry {
  const key = lastFour({ secret })
  return { endpoint, key, status, outcome: 'ok', cause: null, willRetry: false, movesOn: false }
}

type FailedTryMarks = { readonly hasLeft?: boolean } & Partial<Pick<UpstreamTry, 'willRetry' | 'movesOn'>>

/** `hasLeft`: the failure is the end that the client put to the call. */
export function describeFailedTry(
  { endpoint, secret, status }: TriedWith,
  error: ApiError,
  { hasLeft = false, willRetry = false, movesOn = false }: FailedTryMarks = {},
): UpstreamTry {
  const tried = { endpoint, key: lastFour({ secret }), status }
  if (hasLeft) return { ...tried, outcome: 'client_left', cause: null, willRetry: false, movesOn: false }
  return { ...tried, outcome: error.code, cause: describeCause(error, secret), willRetry, movesOn }
}

/** The message of the error and of what lies under it, without our key. */
export function describeCause(error: ApiError, secret: string): string {
  return redact(tellCause(error), secret)
}

function tellCause(error: Error): string {
  const { cause } = error
  if (!(cause instanceof Error) || cause.message === error.message) return error.message
  return `${error.message} ${cause instanceof ApiError ? cause.message : `${cause.name}: ${cause.message}`}`
}
