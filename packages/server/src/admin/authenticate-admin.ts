// Authenticates callers of the admin door by admin key or session cookie, before any body is read.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Role } from '@fairgate/contracts/management/roles.ts'
import { describeDamage } from '../directory/create-secret.ts'
import { readBearer } from '../http/read-bearer.ts'
import type { AdminHolder, AdminHolders } from '../people/admin-holders.ts'
import { requireOwnPage } from '../people/own-page.ts'
import { readCookie } from '../people/session-cookie.ts'
import type { SignIns } from '../people/sign-ins.ts'

/** `actor` is the name that the audit records. */
export type AdminCaller = {
  readonly actor: string
  readonly role: Role
  /** Stored in this caller's sessions. */
  readonly credential: string
  /** Null if the key was sent as a bearer token. */
  readonly session: { readonly cookie: string; readonly expiresAt: number } | null
}

export type AuthenticateAdmin = (request: Request) => AdminCaller | Promise<AdminCaller>

/**
 * `ownOrigin`: the origin of the door's own pages. Throws ApiError `admin_unauthorized` (401), and `cross_site` (403) if another site made
 * the browser send the cookie.
 */
export function createAdminAuthenticator(
  holders: AdminHolders,
  signIns: SignIns,
  ownOrigin: () => string,
): AuthenticateAdmin {
  const authenticateKey = async (secret: string): Promise<AdminCaller> => {
    const holder = await holders.find(secret)
    if (holder === null) throw refuse(describeWrongKey(secret))
    return callerOf(holder)
  }
  const authenticateCookie = async (request: Request, cookie: string): Promise<AdminCaller> => {
    requireOwnPage(request, ownOrigin())
    const signIn = await signIns.find(cookie)
    const holder = signIn === null ? null : await holders.findByCredential(signIn.credential)
    if (signIn === null || holder === null) throw refuse('You are no longer signed in. Sign in again.')
    return { ...callerOf(holder), session: { cookie, expiresAt: signIn.expiresAt } }
  }
  return request => {
    const { headers } = request
    const cookie = headers.has('authorization') ? null : readCookie(headers, 'fairgate_session')
    if (cookie !== null) return authenticateCookie(request, cookie)
    const secret = readAdminKey(headers)
    const own = holders.findOwn(secret)
    return own === null ? authenticateKey(secret) : callerOf(own)
  }
}

export function describeWrongKey(secret: string): string {
  if (secret.startsWith('sk-') || secret.startsWith('aitc_'))
    return 'Gateway keys and log tokens do not work here. Send the admin key.'
  const damage = secret.startsWith('adm-') ? describeDamage('adm-', secret) : null
  return damage === null ? 'This is not the admin key.' : `This admin key ${damage}`
}

function callerOf({ actor, role, credential }: AdminHolder): AdminCaller {
  return { actor, role, credential, session: null }
}

function readAdminKey(headers: Headers): string {
  const bearer = readBearer(headers)
  if (bearer.kind === 'missing') {
    throw refuse('No admin key. Send "Authorization: Bearer <FAIRGATE_ADMIN_KEY>".')
  }
  if (bearer.kind === 'malformed') {
    throw refuse('Malformed Authorization header. Send "Authorization: Bearer <FAIRGATE_ADMIN_KEY>".')
  }
  return bearer.secret
}

function refuse(message: string): ApiError {
  return new ApiError('admin_unauthorized', { message, headers: { 'www-authenticate': 'Bearer' } })
}
