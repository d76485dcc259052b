// The vendor's error replies for clients that speak its API: in the vendor's words, without what is ours alone.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CatalogModel } from '../../catalog/types.ts'
import { asArray, asRecord, asString, type JsonRecord } from '../narrow-json.ts'
import { redact } from '../redact.ts'
import { RelayedError } from '../relay-port.ts'
import { writeRetryAfter } from '../retry-after.ts'
import type { Refusal } from '../send-request.ts'
import { mapGeminiError, readDelay, readGeminiError } from './map-gemini-error.ts'

const maximumMessage = 4000

/** Details about the request. Quotas and help pages are about our account, and name it. */
const givenOn: readonly string[] = ['RetryInfo', 'BadRequest', 'LocalizedMessage']

/**
 * Status and error as the vendor gave them, with our model id in place of its own. A fault of our key or account becomes our own error,
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
        message: clean(asString(error.message) ?? message).slice(0, maximumMessage),
        status: clean(name).slice(0, 100),
        ...(details.length === 0 ? {} : { details }),
      },
    )
  }
}

/** Shortens a delay to the longest that `retry-after` says. Null for a delay that cannot be read. */
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
