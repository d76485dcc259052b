// Maps errors of OpenAI-compatible servers to ours. A fault of our credential never looks like a fault of the caller's key.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { KeyFault } from '../key-ring.ts'
import { asRecord, asString, type JsonRecord } from '../narrow-json.ts'
import { redact } from '../redact.ts'
import type { Refusal } from '../send-request.ts'
import { mapStatus, missingModel, rateLimited, readRetryAfter } from '../upstream-failure.ts'

const longestMessage = 1000

/** The server's own filter refused a prompt or an image before any work. */
const filterCodes: readonly string[] = [
  'content_policy_violation',
  'moderation_blocked',
  'content_filter',
  'ResponsibleAIPolicyViolation',
]

/** `secret`: the key in use, '' for none; it appears neither in replies nor in logs. */
export function mapOpenaiError({ status, body, headers }: Refusal, secret: string): ApiError {
  const error = readError(body)
  const message = redact(asString(error.message) ?? '', secret).slice(0, longestMessage)
  const code = asString(error.code) ?? asString(error.type) ?? ''
  const cause = new Error(`The upstream answered ${status} ${redact(code, secret)}: ${message}`)
  const said = message === '' ? {} : { message: `The model provider refused the request: ${message}` }
  if (status === 401 || status === 403 || (status === 400 && isKeyFault(code, message)))
    return new ApiError('upstream_auth', { cause })
  // This is about our account: no client can change it, and waiting does not help.
  if (status === 402 || code === 'insufficient_quota') return new ApiError('upstream_error', { cause })
  if (status === 429) return rateLimited(readRetryAfter(headers), cause)
  if (filterCodes.includes(code)) return new ApiError('content_policy_violation', { ...said, cause })
  return status === 404 ? mapMissing(code, message, cause) : mapStatus(status, said, cause)
}

/** True if the server says that the key itself is not valid. A 401 without such words may be about the model. */
export function isOpenaiKeyInvalid({ status, body }: Pick<Refusal, 'status' | 'body'>): boolean {
  const error = readError(body)
  const code = asString(error.code) ?? asString(error.type) ?? ''
  return (status === 400 || status === 401) && isKeyFault(code, asString(error.message) ?? '')
}

/** True if the server rejected the key itself. A 403 that names a model, or a country, is not about the key. */
export function judgeOpenaiKey({ status, body }: Pick<Refusal, 'status' | 'body'>): KeyFault | null {
  const error = readError(body)
  const message = asString(error.message) ?? ''
  const code = asString(error.code) ?? asString(error.type) ?? ''
  if (status === 402 || code === 'insufficient_quota') return 'exhausted'
  if (status === 401 || (status === 400 && isKeyFault(code, message))) return 'refused'
  if (status === 403) return /model|country/i.test(`${code} ${message}`) ? null : 'refused'
  return status === 429 ? 'busy' : null
}

/** An error inside a stream has no HTTP status, so its members, code or type determine one. */
export function statusOfError(body: unknown): number {
  const error = readError(body)
  const said = [error.code, error.status, error.status_code].find(isStatus)
  if (said !== undefined) return said
  const code = `${asString(error.type) ?? ''} ${asString(error.code) ?? ''}`
  if (/rate_limit|insufficient_quota/.test(code)) return 429
  if (/overloaded|unavailable/i.test(code)) return 503
  return /invalid_request|BadRequest|context_length/.test(code) ? 400 : 500
}

function isStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 400 && value < 600
}

/** Clients get the error of a missing model. Any other 404 means that the upstream's address is wrong. */
function mapMissing(code: string, message: string, cause: Error): ApiError {
  if (code !== 'model_not_found' && !/\bmodel\b.*\b(?:not found|does not exist|not exist)\b/i.test(message))
    return new ApiError('upstream_error', { cause })
  return missingModel(cause)
}

function isKeyFault(code: string, message: string): boolean {
  return (
    code === 'invalid_api_key' ||
    /^(?:Missing or invalid Authorization|Incorrect API key|API key (?:not|expired))/i.test(message)
  )
}

/** `{error: {…}}`, `{error: "…"}`, either in an array, or the members bare; FastAPI uses `detail`. */
function readError(body: unknown): JsonRecord {
  const record = asRecord(Array.isArray(body) ? body[0] : body) ?? {}
  const error = asRecord(record.error)
  if (error !== null) return error
  const message = asString(record.error) ?? asString(record.message) ?? asString(record.detail)
  return { ...record, message }
}
