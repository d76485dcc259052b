// What a call passes at the gateway before its body is read: is the route allowed to the key, is a slot free, and, for a large body,
// would the call be refused in any case? So a key that has reached its limits costs no memory for bodies.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Catalog, CatalogModel } from '../catalog/types.ts'
import { pathsOf, type Route, type RouteGate } from '../http/route.ts'
import { showPath } from '../http/router-path.ts'
import { nanoDollars } from '../ledger/money.ts'
import type { EarlyRefusal, Limits } from '../limits/port.ts'
import { isRouteAllowed } from './is-route-allowed.ts'
import { refuse } from './refuse.ts'
import type { Caller } from './stages/1-authenticate.ts'

export type GateDependencies = {
  readonly limits: Pick<Limits, 'enter' | 'leave' | 'foresee'>
  readonly catalog: Catalog
  readonly observeRefusal: (code: string, level: string) => void
}

/** Throws ApiError `route_not_allowed`, `parallel_exceeded`, and for large bodies of paid calls `rpm_exceeded` and `budget_exceeded`. */
export function createGate(
  route: Route<Caller>,
  { limits, catalog, observeRefusal }: GateDependencies,
): RouteGate<Caller> {
  const names = pathsOf(route).flatMap(path => [path, showPath(path)])
  const countsRequests = route.errors.includes('rpm_exceeded')

  const throwRefusal = ({ refusal, rates }: EarlyRefusal): never => {
    observeRefusal(refusal.code, refusal.level)
    throw refuse(refusal, rates)
  }

  return {
    enter: async ({ team, key }, callId) => {
      if (!isRouteAllowed(key.allowedRoutes, names)) {
        throw new ApiError('route_not_allowed', {
          message: `This key may only call ${key.allowedRoutes.join(', ')}.`,
        })
      }
      const refused = await limits.enter({ callId, team, key })
      if (refused !== null) throwRefusal(refused)
    },
    checkBeforeBody: ({ team, key }, request) => {
      // A call that is repeated is answered from memory, whatever the windows and the budget say.
      if (!countsRequests || request.headers.has('idempotency-key')) return
      const refused = limits.foresee({ team, key, leastCost: leastCostOf(catalog) })
      if (refused !== null) throwRefusal(refused)
    },
    leave: limits.leave,
  }
}

/** Models without a price can be called when the budget is spent. */
function leastCostOf({ models, families }: Catalog) {
  const isFree = ({ price }: CatalogModel) =>
    price.tiers.some(({ rates }) => Object.values(rates).every(rate => rate === 0))
  return nanoDollars(models.some(isFree) || families.some(isFree) ? 0 : 1)
}
