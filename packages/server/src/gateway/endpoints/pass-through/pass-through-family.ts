// What all routes of the pass-through have in common: their credential, and the shape of their errors.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { geminiErrorSchema } from '@fairgate/contracts/gemini/replies.ts'
import type { Authenticate, RouteFamily } from '../../../http/route-family.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { writeGeminiError } from './write-gemini-error.ts'

export function createPassThroughFamily(authenticate: Authenticate<Caller>): RouteFamily<Caller> {
  return {
    prefix: '/vendor/',
    authenticate,
    writeError: writeGeminiError,
    name: 'vendor',
    securityScheme: {
      type: 'apiKey',
      in: 'header',
      name: 'x-vendor-api-key',
      description: 'A gateway key, `sk-…`',
    },
    otherSecuritySchemes: {
      vendorClient: {
        type: 'apiKey',
        in: 'header',
        name: 'x-goog-api-key',
        description: "The same key, as the vendor's own clients send it",
      },
    },
    description:
      "The vendor's own API. Send your gateway key (`sk-…`) in the header `x-vendor-api-key`, or in `x-goog-api-key` as the vendor's clients do; " +
      'two different keys are refused. `Authorization: Bearer` and `?key=` are not taken here. Errors have the shape of the vendor, ' +
      '`{"error": {"code", "message", "status", "details"}}`; the code of the tables below is the `reason` in `details`. ' +
      'Every path answers under `/vendor/v1` too.',
    errorSchema: geminiErrorSchema,
  }
}

/**
 * From the header of the specification (5.1), or the one that the vendor's own clients send. Throws ApiError `invalid_request` for a key in the address, where logs and proxies would keep it, and
 * `invalid_api_key` without a key or with two different ones.
 */
export function readPassThroughKey({ headers, url }: Request): string {
  const start = url.indexOf('?')
  if (start >= 0 && new URLSearchParams(url.slice(start + 1)).has('key')) {
    throw invalidRequest(
      'key',
      'The key does not belong in the address: send it in the header x-vendor-api-key.',
    )
  }
  const ours = headers.get('x-vendor-api-key')
  const theirs = headers.get('x-goog-api-key')
  if (ours !== null && theirs !== null && ours !== theirs) {
    throw refuse('x-vendor-api-key and x-goog-api-key hold different keys: send one of them.')
  }
  const key = ours ?? theirs
  if (key !== null && key.trim() !== '') return key.trim()
  if (headers.has('authorization')) {
    throw refuse('The pass-through does not take Authorization: send the key in the header x-vendor-api-key.')
  }
  throw refuse('No gateway key. Send "x-vendor-api-key: sk-…".')
}

function refuse(message: string): ApiError {
  return new ApiError('invalid_api_key', { message })
}
