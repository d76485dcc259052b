// Errors of the pass-through in the shape that the vendor's clients read, with our own code where they look for a reason.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { GeminiErrorBody } from '@fairgate/contracts/gemini/replies.ts'
import { RelayedError } from '../../../upstream/relay-port.ts'

const rpc = 'type.googleapis.com/google.rpc'

/** HTTP status → the vendor's name of it. */
const statusNames: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

/** `isBare`: the client called the vendor's own path, and may be one that knows nothing of us. */
export function writeGeminiError(error: ApiError, { isBare }: { readonly isBare: boolean }): Response {
  const body = buildGeminiError(error)
  const details = isBare ? [...(body.error.details ?? []), ...listQuotaDetails(error)] : body.error.details
  const response = Response.json(details === undefined ? body : { error: { ...body.error, details } }, {
    status: error.status,
    headers: error.headers,
  })
  // RFC 9110, 11.6.1: a 401 says how to authenticate.
  if (error.status === 401) {
    const challenge = isBare ? 'ApiKey header="x-goog-api-key", Bearer' : 'ApiKey header="x-vendor-api-key"'
    response.headers.set('www-authenticate', challenge)
  }
  return response
}

/** What the upstream said is given on as it stands; what we say names our code in an ErrorInfo of the domain `fairgate`. */
export function buildGeminiError(error: ApiError): GeminiErrorBody {
  if (error instanceof RelayedError) return { error: error.geminiError }
  const { status, message } = error
  const name = statusNames[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL')
  return { error: { code: status, message, status: name, details: listDetails(error) } }
}

function listDetails({ code, param, message, headers }: ApiError): object[] {
  const wait = headers['retry-after']
  return [
    { '@type': `${rpc}.ErrorInfo`, reason: code, domain: 'fairgate' },
    ...(param === null
      ? []
      : [{ '@type': `${rpc}.BadRequest`, fieldViolations: [{ field: param, description: message }] }]),
    ...(wait === undefined ? [] : [{ '@type': `${rpc}.RetryInfo`, retryDelay: `${wait}s` }]),
  ]
}

/** Gemini CLI 0.61.0 gives up at once on a quota whose id says that it is of a day, and repeats any other 429 ten times. */
function listQuotaDetails({ code, message }: ApiError): object[] {
  if (code !== 'budget_exceeded') return []
  const violation = { subject: 'fairgate', description: message, quotaId: 'FairgateBudgetPerDay' }
  return [{ '@type': `${rpc}.QuotaFailure`, violations: [violation] }]
}
