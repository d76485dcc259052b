// The two shapes of a management call: a change is a POST or a PUT with a body, a look-up is a GET; each answers one record.
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'
import type { Static, TSchema } from 'typebox'
import type { Call } from '../http/call.ts'
import type { AdminRoute } from './admin-route.ts'
import type { AdminCaller } from './authenticate-admin.ts'

type Facts = Pick<
  AdminRoute,
  'openTo' | 'tag' | 'path' | 'pathExamples' | 'summary' | 'description' | 'maxBodyBytes'
> & {
  readonly reply: TSchema
}

/** `errors`: what this change can be refused with besides what every change can. `actor` is who makes it, for the audit. */
export function changeRoute<Body extends TSchema>(
  route: Facts & {
    /** POST when absent. */
    readonly method?: 'PUT'
    readonly body: Body
    readonly errors: readonly ErrorCode[]
    readonly change: (
      body: Static<Body>,
      actor: string,
      params: Readonly<Record<string, string>>,
      caller: AdminCaller,
    ) => Promise<unknown>
  },
): AdminRoute {
  const { method = 'POST', reply, errors, change, ...facts } = route
  return {
    ...facts,
    method,
    replies: { 200: reply },
    errors: ['admin_unauthorized', 'invalid_request', 'invalid_json', ...errors, 'unavailable'],
    // The door has checked the body against its schema by then.
    handle: async (caller, { body, params }: Call<Static<Body>>) =>
      answer(await change(body, caller.actor, params, caller)),
  }
}

/** `errors`: what this look-up can be refused with besides a wrong admin key. */
export function lookupRoute<Query extends TSchema>(
  route: Facts & {
    readonly query?: Query
    readonly errors: readonly ErrorCode[]
    readonly look: (query: Static<Query>, call: Call, caller: AdminCaller) => unknown
  },
): AdminRoute {
  const { reply, errors, look, ...facts } = route
  return {
    ...facts,
    method: 'GET',
    replies: { 200: reply },
    errors: ['admin_unauthorized', ...errors],
    handle: async (caller, call: Call<unknown, Static<Query>>) =>
      answer(await look(call.query, call, caller)),
  }
}

/** Management replies hold secrets and figures of the moment: no cache may keep them. */
export function answer(body: unknown): Response {
  return Response.json(body, { headers: { 'cache-control': 'no-store' } })
}
