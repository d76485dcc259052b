// The common parts of all pass-through routes: their credential, and the format of their errors.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { type GeminiErrorBody, geminiErrorSchema } from '@fairgate/contracts/gemini/replies.ts'
import type { Authenticate, RouteFamily } from '../../../http/route-family.ts'
import { RelayedError } from '../../../upstream/relay-port.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { findKey, type KeyPlaces, keyHeaders, keySchemes, readKey, refuseKey } from '../../flow/read-key.ts'

export function createPassThroughFamily(authenticate: Authenticate<Caller>): RouteFamily<Caller> {
  return {
    prefix: '/vendor/',
    otherPrefixes: ['/v1beta/'],
    authenticate,
    writeError: (error, request) => writeGeminiError(error, { isBare: isBare(request) }),
    name: 'vendor',
    securityScheme: {
      type: 'apiKey',
      in: 'header',
      name: 'x-vendor-api-key',
      description: 'A gateway key, `sk-…`',
    },
    otherSecuritySchemes: keySchemes,
    takesDoorCredential: path => !path.startsWith('/vendor/'),
    description:
      "The vendor's own API. Send your gateway key (`sk-…`) in the header `x-vendor-api-key`, or in `x-goog-api-key` as the vendor's clients do " +
      "(`api-key` and `x-api-key` work too); two different keys are refused. `?key=` is not accepted, and `Authorization: Bearer` only on paths without `/vendor`. Errors have the vendor's format, " +
      '`{"error": {"code", "message", "status", "details"}}`; the codes in the tables below are the `reason` in `details`. ' +
      "Every path also works under `/vendor/v1` and, as in the vendor's API, under `/v1beta`; all but the models also work under `/v1`.",
    errorSchema: geminiErrorSchema,
  }
}

/** A path as the vendor has it, without `/vendor`: requests there come from clients that know nothing about us. */
function isBare({ url }: Pick<Request, 'url'>): boolean {
  return !url.startsWith('/vendor/', url.indexOf('/', url.indexOf('//') + 2))
}

const barePlaces: KeyPlaces = {
  headers: ['x-vendor-api-key', ...keyHeaders],
  takesBearer: true,
  wanted: '"x-goog-api-key: sk-…"',
}
const vendorPlaces: KeyPlaces = { ...barePlaces, takesBearer: false, wanted: '"x-vendor-api-key: sk-…"' }

/**
 * Reads the key from the header of the specification (5.1), or from one that clients send by themselves; on a bare path also from
 * `Authorization`, where Gemini CLI can be configured to put it. Throws ApiError `invalid_request` for a key in the URL, where logs and
 * proxies would keep it, and `invalid_api_key` like `readKey`.
 */
export function readPassThroughKey(request: Pick<Request, 'headers' | 'url'>): string {
  const { headers, url } = request
  const start = url.indexOf('?')
  if (start >= 0 && new URLSearchParams(url.slice(start + 1)).has('key')) {
    throw invalidRequest('key', 'Do not put the key in the URL. Send it in the header x-vendor-api-key.')
  }
  if (isBare(request)) return readKey(headers, barePlaces)
  if (headers.has('authorization') && findKey(headers, vendorPlaces) === null) {
    throw refuseKey(
      'The pass-through does not accept Authorization. Send the key in the header x-vendor-api-key.',
    )
  }
  return readKey(headers, vendorPlaces)
}

const rpc = 'type.googleapis.com/google.rpc'

/** HTTP status → the vendor's name for it. */
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

/** `isBare`: the client called the vendor's own path, and may know nothing about us. */
function writeGeminiError(error: ApiError, { isBare }: { readonly isBare: boolean }): Response {
  const body = buildGeminiError(error)
  const details = isBare ? [...(body.error.details ?? []), ...listQuotaDetails(error)] : body.error.details
  const response = Response.json(details === undefined ? body : { error: { ...body.error, details } }, {
    status: error.status,
    headers: error.headers,
  })
  // RFC 9110, 11.6.1: a 401 shows how to authenticate.
  if (error.status === 401) {
    const challenge = isBare ? 'ApiKey header="x-goog-api-key", Bearer' : 'ApiKey header="x-vendor-api-key"'
    response.headers.set('www-authenticate', challenge)
  }
  return response
}

/** The upstream's error is passed on unchanged. Our errors have our code in an ErrorInfo of the domain `fairgate`. */
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

/** Gemini CLI 0.61.0 gives up at once if the quota's id says that it is daily, and repeats any other 429 ten times. */
function listQuotaDetails({ code, message }: ApiError): object[] {
  if (code !== 'budget_exceeded') return []
  const violation = { subject: 'fairgate', description: message, quotaId: 'FairgateBudgetPerDay' }
  return [{ '@type': `${rpc}.QuotaFailure`, violations: [violation] }]
}
