// Maps the vendor's error replies to ours. A fault of our credential never looks like a fault of the caller's key.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CatalogModel } from '../../catalog/types.ts'
import type { KeyFault } from '../key-ring.ts'
import { asArray, asRecord, asString, type JsonRecord } from '../narrow-json.ts'
import { redact } from '../redact.ts'
import { RelayedError } from '../relay-port.ts'
import type { Refusal } from '../send-request.ts'
import { mapStatus, missingModel, rateLimited, writeRetryAfter } from '../upstream-failure.ts'

const maximumMessage = 1000
const longestReason = 100

/**
 * `body`: the parsed reply, an error object or a one-element array around it; anything else is tolerated.
 * `secret`: the upstream key in use, which must not appear in replies or logs.
 */
export function mapGeminiError({ status, body }: Pick<Refusal, 'status' | 'body'>, secret: string): ApiError {
  const error = readGeminiError(body)
  const details = readDetails(error)
  const message = redact(asString(error.message) ?? '', secret).slice(0, maximumMessage)
  const reason = redact(asString(error.status) ?? '', secret).slice(0, longestReason)
  const cause = new Error(`The vendor answered ${status} ${reason}: ${message}`)
  if (status === 401 || status === 403 || isKeyFault(details, message)) {
    return new ApiError('upstream_auth', { cause })
  }
  if (status === 429) return rateLimited(readRetryDelay(body), cause)
  // Billing or region: this is about our account, not the request.
  if (reason === 'FAILED_PRECONDITION') return new ApiError('upstream_error', { cause })
  const said = message === '' ? {} : { message: `The model provider refused the request: ${message}` }
  if (status !== 404) return mapStatus(status, said, cause)
  return isMissingModel(message)
    ? missingModel(cause)
    : new ApiError('upstream_rejected', { ...said, status: 404, cause })
}

function isMissingModel(message: string): boolean {
  return /\bmodels?\b.* (?:is not found|not found|does not exist)/i.test(message)
}

/** True if the vendor says that the key itself is not valid. No request can provoke that, unlike a 403 or a quota. */
export function isGeminiKeyInvalid({ body }: Pick<Refusal, 'body'>): boolean {
  const error = readGeminiError(body)
  return isKeyFault(readDetails(error), asString(error.message) ?? '')
}

/** The vendor answers 400 with this reason if a key is wrong, and 403 with this message if it was found in public. */
function isKeyFault(details: readonly JsonRecord[], message: string): boolean {
  return (
    details.some(detail => detail.reason === 'API_KEY_INVALID') ||
    /^(?:Your )?API key (?:not|expired|was reported)/i.test(message)
  )
}

/**
 * True if the vendor rejected the key itself. A 403 that names a model or a file is about this call: another key may not have access to
 * it either, and participants could use it to bench keys.
 */
export function judgeGeminiKey({ status, body }: Pick<Refusal, 'status' | 'body'>): KeyFault | null {
  const error = readGeminiError(body)
  const details = readDetails(error)
  const message = asString(error.message) ?? ''
  if (status === 401 || isKeyFault(details, message)) return 'refused'
  if (status === 403)
    return /\b(?:models?|tunedModels?|files?|cachedContents?|resource)\b/i.test(message) ? null : 'refused'
  if (status === 429) return isSpent(details, message) ? 'exhausted' : 'busy'
  return status === 400 && error.status === 'FAILED_PRECONDITION' && /\bbilling\b/i.test(message)
    ? 'exhausted'
    : null
}

/** A daily quota, or prepaid credit that is used up: waiting a minute does not help. */
function isSpent(details: readonly JsonRecord[], message: string): boolean {
  return (
    /\bprepa(?:id|yment)\b|\bcredits?\b/i.test(message) ||
    details
      .flatMap(({ violations }) => asArray(violations).map(asRecord))
      .some(violation => /PerDay/i.test(asString(violation?.quotaId) ?? ''))
  )
}

/** The error of a reply, which may be wrapped in an array; empty if there is none. */
function readGeminiError(body: unknown): JsonRecord {
  return asRecord(asRecord(Array.isArray(body) ? body[0] : body)?.error) ?? {}
}

function readDetails(error: JsonRecord): JsonRecord[] {
  return asArray(error.details)
    .map(asRecord)
    .filter(detail => detail !== null)
}

/** How long the vendor asks us to wait, in ms: its RetryInfo has `31s` or `0.1s`. Null if there is none. */
export function readRetryDelay(body: unknown): number | null {
  for (const detail of readDetails(readGeminiError(body))) {
    const delay = readDelay(detail)
    if (delay !== null) return delay
  }
  return null
}

/** Milliseconds of one RetryInfo. */
function readDelay({ retryDelay }: JsonRecord): number | null {
  const delay = /^(\d+(?:\.\d+)?)s$/.exec(asString(retryDelay) ?? '')
  return delay === null ? null : Number(delay[1]) * 1000
}

// The vendor's error replies for clients that speak its API: in the vendor's words, without information that is ours alone.

const longestRelayed = 4000

/** Details about the request. Quotas and help pages are about our account, and name it. */
const givenOn: readonly string[] = ['RetryInfo', 'BadRequest', 'LocalizedMessage']

/**
 * Status and error as the vendor sent them, with our model id in place of its own. A fault of our key or account becomes our own error,
 * so that it does not look like the caller's.
 */
export function relayGeminiError(model: Pick<CatalogModel, 'id' | 'upstreamId'> | null) {
  return (refusal: Pick<Refusal, 'status' | 'body'>, secret: string): ApiError => {
    const { status, body } = refusal
    const mapped = mapGeminiError(refusal, secret)
    const error = readGeminiError(body)
    const name = asString(error.status)
    const isOurs = mapped.code === 'upstream_auth' || name === 'FAILED_PRECONDITION'
    if (isOurs || name === null || status < 400 || status > 599) return mapped
    const clean = (text: string) => {
      const shown = redact(text, secret)
      return model === null ? shown : shown.replaceAll(model.upstreamId, model.id)
    }
    const cleanText = (_: string, value: unknown) => (typeof value === 'string' ? clean(value) : value)
    const details = asArray(error.details)
      .map(asRecord)
      .filter(detail => detail !== null && isGivenOn(detail))
      .map(boundDelay)
      .filter(detail => detail !== null)
      .map((detail): unknown => JSON.parse(JSON.stringify(detail), cleanText))
    const { code, message, headers, cause } = mapped
    return new RelayedError(
      code,
      { message, headers, cause, status },
      {
        code: status,
        message: clean(asString(error.message) ?? message).slice(0, longestRelayed),
        status: clean(name).slice(0, 100),
        ...(details.length === 0 ? {} : { details }),
      },
    )
  }
}

/** Shortens a delay to the longest that `retry-after` uses. Null for an unreadable delay. */
function boundDelay(detail: JsonRecord | null): JsonRecord | null {
  if (detail?.retryDelay === undefined) return detail
  const delay = readDelay(detail)
  if (delay === null) return null
  const seconds = writeRetryAfter(delay, 0)
  return Number(seconds) * 1000 < delay ? { ...detail, retryDelay: `${seconds}s` } : detail
}

function isGivenOn(detail: JsonRecord): boolean {
  const type = asString(detail['@type']) ?? ''
  return givenOn.some(name => type.endsWith(`google.rpc.${name}`))
}
