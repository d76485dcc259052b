// What all routes of the pass-through have in common: their credential, and the shape of their errors.
import { vendorErrorSchema } from '@fairgate/contracts/vendor/replies.ts'
import type { Authenticate, RouteFamily } from '../../../http/route-family.ts'
import type { Caller } from '../../stages/1-authenticate.ts'
import { writeVendorError } from './write-vendor-error.ts'

export function createVendorFamily(authenticate: Authenticate<Caller>): RouteFamily<Caller> {
  return {
    prefix: '/vendor/',
    authenticate,
    writeError: writeVendorError,
    name: 'vendor',
    securityScheme: {
      type: 'apiKey',
      in: 'header',
      name: 'x-vendor-api-key',
      description: "A gateway key, `sk-…`. The vendor's own clients send it as `x-goog-api-key`.",
    },
    errorSchema: vendorErrorSchema,
  }
}
