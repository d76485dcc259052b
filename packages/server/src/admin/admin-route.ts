// A route of the admin door says to whom it is open; this is where that is required of it, shown, and enforced.
import type { TSchema } from 'typebox'
import { defineRoute, type Route, type TypedRoute } from '../http/route.ts'
import { type OpenTo, requireRole } from '../people/roles.ts'
import type { AdminCaller } from './authenticate-admin.ts'

export type AdminRoute = Route<AdminCaller> & { readonly openTo: OpenTo }

/** Ties the handler's types to the schemas, as `defineRoute` does. */
export function defineAdminRoute<Body extends TSchema | undefined, Query extends TSchema | undefined>(
  route: TypedRoute<AdminCaller, Body, Query> & { readonly openTo: OpenTo },
): AdminRoute {
  return { ...defineRoute<AdminCaller, Body, Query>(route), openTo: route.openTo }
}

const texts: Readonly<Record<OpenTo, string>> = {
  organisers: 'For organisers.',
  judges: 'For organisers and judges.',
  operators: 'For organisers and operators.',
  everyone: 'For every role.',
}

/** The route as the door serves it: who may not call it is refused before the body is read. */
export function guardByRole({ openTo, ...route }: AdminRoute): Route<AdminCaller> {
  const { description, errors } = route
  return {
    ...route,
    description: description === undefined ? texts[openTo] : `${description} ${texts[openTo]}`,
    errors: openTo === 'everyone' ? [...errors, 'cross_site'] : [...errors, 'admin_forbidden', 'cross_site'],
    gate: {
      enter: ({ role }) => requireRole(role, openTo),
      checkBeforeBody: () => undefined,
      leave: () => undefined,
    },
  }
}
