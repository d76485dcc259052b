// Authenticates callers of the admin door by admin key or session cookie, before any body is read.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { describeDamage } from '../directory/create-secret.ts'
import { readBearer } from '../http/read-bearer.ts'
import type { Judging } from '../judging/open-judging.ts'
import type { AdminHolder, AdminHolders } from '../people/admin-holders.ts'
import { requireOwnPage } from '../people/own-page.ts'
import type { Standing } from '../people/roles.ts'
import { readCookie } from '../people/session-cookie.ts'
import type { SignIns } from '../people/sign-ins.ts'

/** Who a credential belongs to. `actor` is the name that the audit records. */
export type Identity = Standing & {
  readonly actor: string
  /** Null for an admin key. */
  readonly judgeId: string | null
  /** Stored in this caller's sessions. */
  readonly credential: string
}

export type AdminCaller = Identity & {
  /** Null if the key was sent as a bearer token. */
  readonly session: { readonly cookie: string; readonly expiresAt: number } | null
}

export type AuthenticateAdmin = (request: Request) => AdminCaller | Promise<AdminCaller>

/** Finds out who a credential belongs to at this moment: keys are blocked, claim links end, and judging becomes blind. */
export class Identities {
  readonly #holders: AdminHolders
  readonly #judging: Pick<Judging, 'log' | 'links'>

  constructor(holders: AdminHolders, judging: Pick<Judging, 'log' | 'links'>) {
    this.#holders = holders
    this.#judging = judging
  }

  /** Like `findByKey` for the environment's key, synchronously; null for any other key. */
  findOwn(secret: string): Identity | null {
    const own = this.#holders.findOwn(secret)
    return own === null ? null : identityOf(own, false)
  }

  /** Null for a key that does not exist or is blocked. */
  async findByKey(secret: string): Promise<Identity | null> {
    return await this.#describe(await this.#holders.find(secret))
  }

  /** The same for what a session stores. Throws ApiError `admin_unauthorized` with the reason for a claim link that has ended. */
  async findByCredential(credential: string): Promise<Identity | null> {
    const judge = await this.#judging.links.find(credential)
    if (judge !== null) return { ...judge, role: 'panel_judge' }
    return await this.#describe(await this.#holders.findByCredential(credential))
  }

  async #describe(holder: AdminHolder | null): Promise<Identity | null> {
    if (holder === null) return null
    return identityOf(holder, holder.role === 'judge' && (await this.#judging.log.state()).isBlind())
  }
}

/**
 * `ownOrigin`: the origin of the door's own pages. Throws ApiError `admin_unauthorized` (401), and `cross_site` (403) if another site made
 * the browser send the cookie.
 */
export function createAdminAuthenticator(
  identities: Identities,
  signIns: SignIns,
  ownOrigin: () => string,
): AuthenticateAdmin {
  const authenticateKey = async (secret: string): Promise<AdminCaller> => {
    const identity = await identities.findByKey(secret)
    if (identity === null) throw refuse(describeWrongKey(secret))
    return { ...identity, session: null }
  }
  const authenticateCookie = async (request: Request, cookie: string): Promise<AdminCaller> => {
    requireOwnPage(request, ownOrigin())
    const signIn = await signIns.find(cookie)
    const identity = signIn === null ? null : await identities.findByCredential(signIn.credential)
    if (signIn === null || identity === null) throw refuse('You are no longer signed in. Sign in again.')
    return { ...identity, session: { cookie, expiresAt: signIn.expiresAt } }
  }
  return request => {
    const { headers } = request
    const cookie = headers.has('authorization') ? null : readCookie(headers, 'fairgate_session')
    if (cookie !== null) return authenticateCookie(request, cookie)
    const secret = readAdminKey(headers)
    const own = identities.findOwn(secret)
    return own === null ? authenticateKey(secret) : { ...own, session: null }
  }
}

export function describeWrongKey(secret: string): string {
  if (secret.startsWith('sk-') || secret.startsWith('aitc_'))
    return 'Gateway keys and log tokens do not work here. Send the admin key.'
  const damage = secret.startsWith('adm-') ? describeDamage('adm-', secret) : null
  return damage === null ? 'This is not the admin key.' : `This admin key ${damage}`
}

/** The id of the judge who calls a route of the panel. */
export function judgeOf({ judgeId }: Pick<AdminCaller, 'judgeId'>): string {
  if (judgeId === null) throw new Error('A route of the panel was called with an admin key.')
  return judgeId
}

function identityOf({ actor, role, credential }: AdminHolder, isBlind: boolean): Identity {
  return { actor, role, judgeId: null, credential, isBlind }
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
