// POST, GET and DELETE /session, and POST /session/link: sign-in to the console with an admin key or a one-time link.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
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
import { defineRoute, type Route } from '../http/route.ts'
import type { AdminHolder } from '../people/admin-holders.ts'
import { requireOwnPage } from '../people/own-page.ts'
import { clearCookie, readCookie, writeCookie } from '../people/session-cookie.ts'
import { describeWrongKey } from './authenticate-admin.ts'
import type { Access } from './create-access.ts'
import { type AdminRoute, answer, changeRoute, lookupRoute, type Management } from './management-route.ts'

const tag = 'Access'
const path = '/session'
const cookie = 'fairgate_session'

/** Needs no authentication, because the credential is in the body. */
export function signInRoute(sessions: Access['sessions']): Route<null> {
  const { signIns, isSecure, publicUrl } = sessions
  return defineRoute({
    method: 'POST',
    tag,
    path,
    summary: 'Sign in to the console',
    description:
      'Accepts an admin key, or the secret of a sign-in link, and sets the cookie `fairgate_session` (`HttpOnly; SameSite=Strict`, and `Secure` on TLS). ' +
      'With the cookie every route of this door works as with the key; requests that change something must then come from a page of this door ' +
      '(`Sec-Fetch-Site: same-origin`, or `Origin`) and have `Content-Type: application/json`.',
    body: signInBodySchema,
    replies: { 200: adminSessionSchema },
    replyHeaders: ['cache-control', 'set-cookie'],
    errors: ['admin_unauthorized', 'cross_site', 'invalid_request', 'invalid_json', 'unavailable'],
    handle: async (_caller, call) => {
      // A foreign page must not sign a person in as someone else.
      if (call.request.headers.has('sec-fetch-site'))
        requireOwnPage(call.request, new URL(publicUrl()).origin)
      const holder = await findHolder(sessions, call.body)
      const begun = await signIns.begin(holder.credential)
      const reply = answer(describeSession(holder, begun.expiresAt))
      reply.headers.set('set-cookie', writeCookie(cookie, begun.cookie, isSecure(call)))
      return reply
    },
  })
}

/** Throws ApiError `admin_unauthorized`, `invalid_request`. */
async function findHolder(
  { holders, signIns }: Access['sessions'],
  { key, once }: { readonly key?: string | null; readonly once?: string | null },
): Promise<AdminHolder> {
  const given = { key: key ?? null, once: once ?? null }
  if ((given.key === null) === (given.once === null)) throw refuseValue('key', 'send either `key` or `once`.')
  const holder = given.key === null ? await takeTicket(given.once ?? '') : await holders.find(given.key)
  if (holder !== null) return holder
  const message =
    given.key === null
      ? 'This sign-in link was used already or is older than 15 minutes. Create another with POST /session/link.'
      : describeWrongKey(given.key)
  throw new ApiError('admin_unauthorized', { message, headers: { 'www-authenticate': 'Bearer' } })

  async function takeTicket(ticket: string): Promise<AdminHolder | null> {
    const credential = await signIns.takeTicket(ticket)
    return credential === null ? null : holders.findByCredential(credential)
  }
}

export function signedInRoutes({ access }: Management): AdminRoute[] {
  const { signIns, isSecure, publicUrl } = access.sessions
  return [
    lookupRoute({
      tag,
      openTo: 'everyone',
      path,
      summary: 'Get the caller and the session',
      reply: adminSessionSchema,
      errors: ['unavailable'],
      look: (_query, _call, caller) => describeSession(caller, caller.session?.expiresAt ?? null),
    }),
    changeRoute({
      tag,
      openTo: 'everyone',
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
  { actor, role }: Pick<AdminHolder, 'actor' | 'role'>,
  expiresAt: number | null,
): AdminSession {
  return { name: actor, role, expires_at: expiresAt === null ? null : isoTime(expiresAt), blind: false }
}
