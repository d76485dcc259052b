// What a call passes at the gateway before its body is read: is the route allowed to the key, is a slot free, and, for a large body,
// would the call be refused in any case? So a key that has reached its limits costs no memory for bodies.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Catalog, CatalogModel } from '../catalog/types.ts'
import { pathsOf, type Route, type RouteGate } from '../http/route.ts'
import { showPath } from '../http/router-path.ts'
import { nanoDollars } from '../ledger/money.ts'
import { findLevels } from '../limits/build-levels.ts'
import type { EarlyRefusal, Limits } from '../limits/port.ts'
import type { Caller } from './flow/authenticate.ts'
import { refuse } from './flow/refuse.ts'
import { WaitingLine } from './waiting-line.ts'

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
  const line = route.waitsForItsOwn === true ? new WaitingLine() : null
  const countsRequests = route.errors.includes('rpm_exceeded')

  const throwIfRefused = (refused: EarlyRefusal | null): void => {
    if (refused === null) return
    observeRefusal(refused.refusal.code, refused.refusal.level)
    throw refuse(refused.refusal, refused.rates)
  }

  return {
    enter: ({ team, key }, callId) => {
      if (!isRouteAllowed(key.allowedRoutes, names)) {
        throw new ApiError('route_not_allowed', {
          message: `This key may only call ${key.allowedRoutes.join(', ')}.`,
        })
      }
      const enter = () => limits.enter({ callId, levels: findLevels(team, key, null) })
      const entered = line === null ? enter() : line.enter(key.keyHash, callId, enter)
      return entered instanceof Promise ? entered.then(throwIfRefused) : throwIfRefused(entered)
    },
    checkBeforeBody: ({ team, key }, request) => {
      // A call that is repeated is answered from memory, whatever the windows and the budget say.
      if (!countsRequests || request.headers.has('idempotency-key')) return
      const levels = findLevels(team, key, null)
      throwIfRefused(limits.foresee({ levels, leastCost: leastCostOf(catalog) }))
    },
    leave:
      line === null
        ? limits.leave
        : callId => {
            limits.leave(callId)
            line.leave(callId)
          },
  }
}

/** Models without a price can be called when the budget is spent. */
function leastCostOf({ models, families }: Catalog) {
  const isFree = ({ price }: CatalogModel) =>
    price.tiers.some(({ rates }) => Object.values(rates).every(rate => rate === 0))
  return nanoDollars(models.some(isFree) || families.some(isFree) ? 0 : 1)
}

/**
 * Whether a key with `allowed_routes` may call a route. `names`: every spelling of the route's path; one that is listed allows all of them. `/vendor/*` allows every path below
 * `/vendor/`. An empty list allows everything.
 */
export function isRouteAllowed(allowedRoutes: readonly string[], names: readonly string[]): boolean {
  if (allowedRoutes.length === 0) return true
  return allowedRoutes.some(allowed =>
    allowed.endsWith('/*')
      ? names.some(name => name.startsWith(allowed.slice(0, -1)))
      : names.includes(allowed),
  )
}
