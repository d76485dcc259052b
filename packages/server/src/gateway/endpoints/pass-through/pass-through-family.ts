// What all routes of the pass-through have in common: their credential, and the shape of their errors.
import { geminiErrorSchema } from '@fairgate/contracts/gemini/replies.ts'
import type { Authenticate, RouteFamily } from '../../../http/route-family.ts'
import type { Caller } from '../../stages/1-authenticate.ts'
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
