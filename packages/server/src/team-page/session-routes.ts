// POST and DELETE /self/session, and POST /self/session/link: sign-in to the team page with a gateway key or a one-time link.
import {
  type SelfSession,
  selfSessionSchema,
  selfSignInBodySchema,
  selfSignOutQuerySchema,
} from '@fairgate/contracts/console/self.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  type SignInLink,
  signedOutSchema,
  signInLinkBodySchema,
  signInLinkSchema,
} from '@fairgate/contracts/management/access.ts'
import type { Directory } from '../directory/create-directory.ts'
import { hashSecret } from '../directory/create-secret.ts'
import { refuseValue } from '../directory/refusals.ts'
import type { Caller } from '../gateway/flow/authenticate.ts'
import type { Call } from '../http/call.ts'
import { readBearer } from '../http/read-bearer.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { requireOwnPage } from '../people/own-page.ts'
import { clearCookie, readCookie, writeCookie } from '../people/session-cookie.ts'
import type { SignIns } from '../people/sign-ins.ts'
import { teamCookie, teamPageLink, writeCredential } from './self-family.ts'
import { answerSelf, selfRoute, selfTag, signInErrors } from './self-route.ts'

export type SelfSessionDependencies = {
  /** Throws ApiError (401) for a key that does not work. */
  readonly findCallerBySecret: (secret: string) => Caller
  readonly findCaller: (secretHash: string) => Caller | null
  readonly directory: Pick<Directory, 'findMember'>
  readonly signIns: Pick<SignIns, 'begin' | 'find' | 'end' | 'endAll' | 'makeTicket' | 'takeTicket'>
  /** Returns true if the client's connection is encrypted. */
  readonly isSecure: (call: Call) => boolean
  readonly ownOrigin: () => string
}

const path = '/self/session'

/** Needs no authentication, because the credential is in the body. */
export function selfSignInRoute(dependencies: SelfSessionDependencies): Route<null> {
  const { signIns, directory, isSecure, ownOrigin } = dependencies
  return defineRoute({
    method: 'POST',
    tag: selfTag,
    path,
    summary: 'Sign in to the team page',
    description:
      'Accepts a gateway key, or the secret of a sign-in link, and sets the cookie `fairgate_team` (`HttpOnly; SameSite=Strict`, and `Secure` on TLS). ' +
      'It only works for the routes below `/self`, for 12 hours after its last use.',
    body: selfSignInBodySchema,
    maxBodyBytes: 4096,
    replies: { 200: selfSessionSchema },
    replyHeaders: ['cache-control', 'set-cookie'],
    errors: [...signInErrors, 'invalid_request', 'invalid_json', 'unavailable'],
    handle: async (_caller, call) => {
      // A foreign page must not sign a person in as someone else.
      if (call.request.headers.has('sec-fetch-site')) requireOwnPage(call.request, ownOrigin())
      const key = call.body.key ?? null
      const once = call.body.once ?? null
      if ((key === null) === (once === null)) throw refuseValue('key', 'send either `key` or `once`.')
      const found = key === null ? await useTicket(dependencies, once ?? '') : useKey(dependencies, key)
      const begun = await signIns.begin(found.credential)
      const reply = answerSelf(describeSession(found.caller, directory, begun.expiresAt))
      reply.headers.set('set-cookie', writeCookie(teamCookie, begun.cookie, isSecure(call)))
      return reply
    },
  })
}

type Found = { readonly caller: Caller; readonly credential: string }

function useKey({ findCallerBySecret }: SelfSessionDependencies, key: string): Found {
  return { caller: findCallerBySecret(key), credential: writeCredential(hashSecret(key)) }
}

async function useTicket({ signIns, findCaller }: SelfSessionDependencies, once: string): Promise<Found> {
  const credential = await signIns.takeTicket(once)
  const caller = credential === null ? null : findCaller(credential.replace(/^key:/, ''))
  if (credential !== null && caller !== null) return { caller, credential }
  throw new ApiError('invalid_api_key', {
    message: 'This sign-in link was used already or is older than 15 minutes. Sign in with your gateway key.',
  })
}

export function selfSignOutRoute({ signIns, isSecure }: SelfSessionDependencies): Route<Caller> {
  return selfRoute({
    method: 'DELETE',
    path,
    summary: 'Sign out of the team page, here or everywhere',
    query: selfSignOutQuerySchema,
    reply: signedOutSchema,
    replyHeaders: ['cache-control', 'set-cookie'],
    errors: ['invalid_request'],
    look: async (_caller, call) => {
      const { headers } = call.request
      const cookie = headers.has('authorization') ? null : readCookie(headers, teamCookie)
      const signIn = cookie === null ? null : await signIns.find(cookie)
      const ended =
        cookie === null || signIn === null
          ? 0
          : await (call.query.everywhere === true ? signIns.endAll(signIn.credential) : signIns.end(cookie))
      const reply = answerSelf({ ended })
      if (cookie !== null) reply.headers.set('set-cookie', clearCookie(teamCookie, isSecure(call)))
      return reply
    },
  })
}

/** Signs in a phone from a laptop, because keys are too long to type on a phone. */
export function selfLinkRoute({ signIns, ownOrigin }: SelfSessionDependencies): Route<Caller> {
  return selfRoute({
    method: 'POST',
    path: `${path}/link`,
    summary: 'Create a one-time link that opens the team page signed in',
    description: 'It works for 15 minutes and signs in with the key that created it.',
    body: signInLinkBodySchema,
    maxBodyBytes: 4096,
    reply: signInLinkSchema,
    errors: ['invalid_request', 'invalid_json'],
    look: async (_caller, { request: { headers } }): Promise<SignInLink> => {
      const bearer = readBearer(headers)
      const cookie = readCookie(headers, teamCookie)
      const signIn = bearer.kind === 'secret' || cookie === null ? null : await signIns.find(cookie)
      const credential =
        bearer.kind === 'secret' ? writeCredential(hashSecret(bearer.secret)) : signIn?.credential
      if (credential === undefined) throw new ApiError('invalid_api_key')
      const { ticket, expiresAt } = await signIns.makeTicket(credential)
      return { url: teamPageLink(ownOrigin(), ticket), expires_at: isoTime(expiresAt) }
    },
  })
}

function describeSession(
  { key, team }: Caller,
  directory: Pick<Directory, 'findMember'>,
  expiresAt: number,
): SelfSession {
  const member = directory.findMember(key.memberId ?? '')
  return {
    team_id: team.teamId,
    team_alias: team.alias,
    member: member === undefined ? null : { member_id: member.memberId, name: member.name },
    expires_at: isoTime(expiresAt),
  }
}
