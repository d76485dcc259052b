// Errors below /vendor/ in the shape that the vendor's clients read, with our own code where they look for a reason.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { GeminiErrorBody } from '@fairgate/contracts/gemini/replies.ts'
import { RelayedError } from '../../../upstream/relay-port.ts'

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

export function writeGeminiError(error: ApiError): Response {
  const response = Response.json(buildGeminiError(error), { status: error.status, headers: error.headers })
  // RFC 9110, 11.6.1: a 401 says how to authenticate.
  if (error.status === 401) response.headers.set('www-authenticate', 'ApiKey header="x-vendor-api-key"')
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
  const rpc = 'type.googleapis.com/google.rpc'
  const wait = headers['retry-after']
  return [
    { '@type': `${rpc}.ErrorInfo`, reason: code, domain: 'fairgate' },
    ...(param === null
      ? []
      : [{ '@type': `${rpc}.BadRequest`, fieldViolations: [{ field: param, description: message }] }]),
    ...(wait === undefined ? [] : [{ '@type': `${rpc}.RetryInfo`, retryDelay: `${wait}s` }]),
  ]
}
