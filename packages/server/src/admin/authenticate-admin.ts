// Lets the holder of the admin key in and nobody else. The key is compared in constant time, before any body is read.
import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { readBearer } from '../http/read-bearer.ts'

/** `actor` is the name that the audit records. */
export type AdminCaller = { readonly actor: string }

/** Throws ApiError `admin_unauthorized` (401). */
export function createAdminAuthenticator(dependencies: {
  readonly adminKey: string
}): (request: Request) => AdminCaller {
  const expected = digest(dependencies.adminKey)
  return request => {
    const secret = readAdminKey(request.headers)
    // Digests have one length, so the comparison does not tell the length of the key either.
    if (!timingSafeEqual(digest(secret), expected)) throw refuse('This is not the admin key.')
    return { actor: 'admin' }
  }
}

function readAdminKey(headers: Headers): string {
  const bearer = readBearer(headers)
  if (bearer.kind === 'missing') {
    throw refuse('No admin key. Send "Authorization: Bearer <FAIRGATE_ADMIN_KEY>".')
  }
  if (bearer.kind === 'malformed') {
    throw refuse('Malformed Authorization header. Send "Authorization: Bearer <FAIRGATE_ADMIN_KEY>".')
  }
  const { secret } = bearer
  if (secret.startsWith('sk-') || secret.startsWith('aitc_')) {
    throw refuse('Gateway keys and log tokens do not work here. Send the admin key.')
  }
  return secret
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

function refuse(message: string): ApiError {
  return new ApiError('admin_unauthorized', { message, headers: { 'www-authenticate': 'Bearer' } })
}
