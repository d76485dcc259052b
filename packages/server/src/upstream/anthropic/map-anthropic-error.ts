// Maps errors of Anthropic's API to ours. A fault of our credential never looks like a fault of the caller's key.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { KeyFault } from '../key-ring.ts'
import { asRecord, asString } from '../narrow-json.ts'
import { redact } from '../redact.ts'
import type { Refusal } from '../send-request.ts'
import { mapStatus, missingModel, rateLimited, readRetryAfter } from '../upstream-failure.ts'

const longestMessage = 1000

/** `secret`: the key in use, '' for none; it appears neither in replies nor in logs. */
export function mapAnthropicError({ status, body, headers }: Refusal, secret: string): ApiError {
  const { type, message: said } = readError(body)
  const message = redact(said, secret).slice(0, longestMessage)
  const cause = new Error(`The upstream answered ${status} ${redact(type, secret)}: ${message}`)
  // This is about our account: no client can change it, and waiting does not help.
  if (isUnpaid(status, type, said)) return new ApiError('upstream_error', { cause })
  if (status === 401 || status === 403) return new ApiError('upstream_auth', { cause })
  if (status === 429) return rateLimited(readRetryAfter(headers), cause)
  // Any other 404 means that the upstream's address is wrong.
  if (status === 404)
    return /\bmodel\b/i.test(said) ? missingModel(cause) : new ApiError('upstream_error', { cause })
  const words = message === '' ? {} : { message: `The model provider refused the request: ${message}` }
  return mapStatus(status, words, cause)
}

/** Why the API rejected the key; null if the refusal is about the call. */
export function judgeAnthropicKey({ status, body }: Pick<Refusal, 'status' | 'body'>): KeyFault | null {
  const { type, message } = readError(body)
  if (isUnpaid(status, type, message)) return 'exhausted'
  if (status === 401) return 'refused'
  if (status === 403) return /model/i.test(message) ? null : 'refused'
  return status === 429 ? 'busy' : null
}

export function isAnthropicKeyInvalid({ status, body }: Pick<Refusal, 'status' | 'body'>): boolean {
  return status === 401 && /invalid x-api-key/i.test(readError(body).message)
}

const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  timeout_error: 504,
  overloaded_error: 529,
}

/** An error inside a stream has no HTTP status, so its type determines one. Null for other events. */
export function statusOfEvent(event: unknown): number | null {
  if (asRecord(event)?.type !== 'error') return null
  const { type } = readError(event)
  return Object.hasOwn(statuses, type) ? (statuses[type] ?? 500) : 500
}

/** An account without credit is told so in a 400. */
function isUnpaid(status: number, type: string, message: string): boolean {
  return (
    status === 402 ||
    type === 'billing_error' ||
    (status === 400 && /credit balance is too low/i.test(message))
  )
}

/** `{"type": "error", "error": {"type", "message"}}`; a proxy in front may answer with anything. */
function readError(body: unknown): { readonly type: string; readonly message: string } {
  const error = asRecord(asRecord(body)?.error) ?? {}
  return { type: asString(error.type) ?? '', message: asString(error.message) ?? '' }
}
