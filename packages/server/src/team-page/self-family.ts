// Defines what the team page's routes share: authentication by session cookie, which page scripts cannot read, or by key.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import Type from 'typebox'
import type { Caller } from '../gateway/flow/authenticate.ts'
import type { Authenticate, RouteFamily } from '../http/route-family.ts'
import { writeError } from '../http/write-error.ts'
import { requireOwnPage } from '../people/own-page.ts'
import { readCookie } from '../people/session-cookie.ts'
import type { SignIns } from '../people/sign-ins.ts'

export const teamCookie = 'fairgate_team'

export type SelfFamilyDependencies = {
  /** Authenticates by the key as a bearer token. */
  readonly authenticate: (request: Request) => Caller
  /** Null for an unknown secret. Throws ApiError (401) for a key that no longer works. */
  readonly findCaller: (secretHash: string) => Caller | null
  readonly signIns: Pick<SignIns, 'find'>
  /** Returns the origin of the door's own pages. */
  readonly ownOrigin: () => string
}

export function createSelfFamily(dependencies: SelfFamilyDependencies): RouteFamily<Caller> {
  return {
    prefix: '/self',
    authenticate: createSelfAuthenticate(dependencies),
    writeError,
    name: 'team_page',
    securityScheme: { type: 'http', scheme: 'bearer', description: 'A gateway key, `sk-…`' },
    description:
      'Data of the team page. The page signs in with `POST /self/session` and then sends the cookie `fairgate_team`; programs can send a gateway key as a bearer ' +
      'token instead. Calls of these routes count against no limit. A request with the cookie that changes something must come from a page of this door ' +
      '(`Sec-Fetch-Site: same-origin`, or `Origin`) and have `Content-Type: application/json`.',
    errorSchema: Type.Object({
      error: Type.Object({
        message: Type.String({ description: 'For people' }),
        type: Type.String({ description: 'The kind of error' }),
        param: Type.Union([Type.String(), Type.Null()], { description: 'The request member at fault' }),
        code: Type.String(),
      }),
    }),
  }
}

/** Throws ApiError `invalid_api_key`, `key_blocked`, `key_expired`, `team_blocked` (401), and `cross_site` (403). */
function createSelfAuthenticate({
  authenticate,
  findCaller,
  signIns,
  ownOrigin,
}: SelfFamilyDependencies): Authenticate<Caller> {
  const authenticateCookie = async (request: Request, cookie: string): Promise<Caller> => {
    requireOwnPage(request, ownOrigin())
    const signIn = await signIns.find(cookie)
    const secretHash = signIn === null ? null : readCredential(signIn.credential)
    const caller = secretHash === null ? null : findCaller(secretHash)
    if (caller !== null) return caller
    throw new ApiError('invalid_api_key', { message: 'You are no longer signed in. Sign in again.' })
  }
  return request => {
    const { headers } = request
    const cookie = headers.has('authorization') ? null : readCookie(headers, teamCookie)
    return cookie === null ? authenticate(request) : authenticateCookie(request, cookie)
  }
}

const prefix = 'key:'

/** The credential that a session stores: the digest of the secret, so that a new secret ends the sessions of the old one. */
export function writeCredential(secretHash: string): string {
  return `${prefix}${secretHash}`
}

function readCredential(credential: string): string | null {
  return credential.startsWith(prefix) ? credential.slice(prefix.length) : null
}

/** The ticket is after `#`, which browsers send to no server. */
export function teamPageLink(gatewayUrl: string, ticket: string): string {
  return `${gatewayUrl}/sign-in#once=${ticket}`
}
