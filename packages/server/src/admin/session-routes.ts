// POST, GET and DELETE /session, and POST /session/link: sign-in to the console with an admin key or a one-time link. POST /judging/sign-in:
// the same for judges with a claim link.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { judgeSignInBodySchema } from '@fairgate/contracts/judging/codes.ts'
import {
  type AdminSession,
  adminSessionSchema,
  type SignInLink,
  signedOutSchema,
  signInBodySchema,
  signInLinkBodySchema,
  signInLinkSchema,
  signOutQuerySchema,
} from '@fairgate/contracts/management/access.ts'
import { refuseValue } from '../directory/refusals.ts'
import type { Call } from '../http/call.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { requireOwnPage } from '../people/own-page.ts'
import { clearCookie, readCookie, writeCookie } from '../people/session-cookie.ts'
import { describeWrongKey, type Identity } from './authenticate-admin.ts'
import type { Access } from './create-access.ts'
import { type AdminRoute, answer, changeRoute, lookupRoute, type Management } from './management-route.ts'

const tag = 'Access'
const path = '/session'
const cookie = 'fairgate_session'
const signInFacts = {
  method: 'POST',
  tag,
  replies: { 200: adminSessionSchema },
  replyHeaders: ['cache-control', 'set-cookie'],
  errors: ['admin_unauthorized', 'cross_site', 'invalid_request', 'invalid_json', 'unavailable'],
} as const

/** Needs no authentication, because the credential is in the body. */
export function signInRoute(sessions: Access['sessions']): Route<null> {
  return defineRoute({
    ...signInFacts,
    path,
    summary: 'Sign in to the console',
    description:
      'Accepts an admin key, or the secret of a sign-in link, and sets the cookie `fairgate_session` (`HttpOnly; SameSite=Strict`, and `Secure` on TLS). ' +
      'With the cookie every route of this door works as with the key; requests that change something must then come from a page of this door ' +
      '(`Sec-Fetch-Site: same-origin`, or `Origin`) and have `Content-Type: application/json`.',
    body: signInBodySchema,
    handle: (_caller, call) => beginSession(sessions, call, () => identify(sessions, call.body)),
  })
}

/** Needs no authentication either. It is below /judging, so that a proxy can expose this and nothing else of the door. */
export function judgeSignInRoute(sessions: Access['sessions']): Route<null> {
  return defineRoute({
    ...signInFacts,
    path: '/judging/sign-in',
    summary: 'Sign in as a judge with the code of a claim link',
    description:
      'Sets the same cookie as `POST /session`. It opens `/judging/*` and `/session` and nothing else, and ends with the claim link.',
    body: judgeSignInBodySchema,
    handle: (_caller, call) =>
      beginSession(sessions, call, async () => ({
        ...(await sessions.judging.links.signIn(call.body.code)),
        role: 'panel_judge',
      })),
  })
}

async function beginSession(
  { signIns, isSecure, publicUrl }: Access['sessions'],
  call: Call,
  identify: () => Promise<Identity>,
): Promise<Response> {
  // A foreign page must not sign a person in as someone else.
  if (call.request.headers.has('sec-fetch-site')) requireOwnPage(call.request, new URL(publicUrl()).origin)
  const identity = await identify()
  const begun = await signIns.begin(identity.credential)
  const reply = answer(describeSession(identity, begun.expiresAt))
  reply.headers.set('set-cookie', writeCookie(cookie, begun.cookie, isSecure(call)))
  return reply
}

/** Throws ApiError `admin_unauthorized`, `invalid_request`. */
async function identify(
  { identities, signIns }: Access['sessions'],
  { key, once }: { readonly key?: string | null; readonly once?: string | null },
): Promise<Identity> {
  const given = { key: key ?? null, once: once ?? null }
  if ((given.key === null) === (given.once === null)) throw refuseValue('key', 'send either `key` or `once`.')
  const identity =
    given.key === null ? await takeTicket(given.once ?? '') : await identities.findByKey(given.key)
  if (identity !== null) return identity
  const message =
    given.key === null
      ? 'This sign-in link was used already or is older than 15 minutes. Create another with POST /session/link.'
      : describeWrongKey(given.key)
  throw new ApiError('admin_unauthorized', { message, headers: { 'www-authenticate': 'Bearer' } })

  async function takeTicket(ticket: string): Promise<Identity | null> {
    const credential = await signIns.takeTicket(ticket)
    return credential === null ? null : identities.findByCredential(credential)
  }
}

export function signedInRoutes({ access }: Management): AdminRoute[] {
  const { signIns, isSecure, publicUrl } = access.sessions
  return [
    lookupRoute({
      tag,
      openTo: 'signed_in',
      path,
      summary: 'Get the caller and the session',
      reply: adminSessionSchema,
      errors: ['unavailable'],
      look: (_query, _call, caller) => describeSession(caller, caller.session?.expiresAt ?? null),
    }),
    changeRoute({
      tag,
      openTo: 'signed_in',
      path,
      summary: 'Sign out, here or everywhere',
      query: signOutQuerySchema,
      reply: signedOutSchema,
      replyHeaders: ['cache-control', 'set-cookie'],
      errors: [],
      change: async ({ everywhere }, _actor, _params, { credential, session }, call) => {
        const ended = await (everywhere === true
          ? signIns.endAll(credential)
          : session === null
            ? 0
            : signIns.end(session.cookie))
        const reply = answer({ ended })
        if (readCookie(call.request.headers, cookie) !== null)
          reply.headers.set('set-cookie', clearCookie(cookie, isSecure(call)))
        return reply
      },
    }),
    changeRoute({
      tag,
      openTo: 'everyone',
      path: '/session/link',
      summary: 'Create a one-time link that opens the console signed in',
      description: 'It works for 15 minutes and signs in with the key that created it.',
      body: signInLinkBodySchema,
      reply: signInLinkSchema,
      errors: [],
      change: async (_body, _actor, _params, { credential }): Promise<SignInLink> => {
        const { ticket, expiresAt } = await signIns.makeTicket(credential)
        return { url: consoleLink(publicUrl(), ticket), expires_at: isoTime(expiresAt) }
      },
    }),
  ]
}

/** The ticket is after `#`, which browsers send to no server and no other page. */
export function consoleLink(publicUrl: string, ticket: string): string {
  return `${publicUrl}/console/sign-in#once=${ticket}`
}

function describeSession(
  { actor, role, judgeId, isBlind }: Omit<Identity, 'credential'>,
  expiresAt: number | null,
): AdminSession {
  return { name: actor, role, judge_id: judgeId, expires_at: isoTime(expiresAt), blind: isBlind }
}
