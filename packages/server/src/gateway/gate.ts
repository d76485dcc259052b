// What a call passes at the gateway before its body is read: is the route allowed to the key, is a slot free, and, for a large body,
// would the call be refused in any case? So a key that has reached its limits costs no memory for bodies.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Catalog, CatalogModel } from '../catalog/types.ts'
import { eventLimitsAt } from '../directory/event/event-limits-at.ts'
import { pathsOf, type Route, type RouteGate } from '../http/route.ts'
import { showPath } from '../http/router.ts'
import { nanoDollars } from '../ledger/money.ts'
import { findLevels } from '../limits/build-levels.ts'
import type { EarlyRefusal, Limits } from '../limits/port.ts'
import type { Caller } from './flow/authenticate.ts'
import { checkEvent, type EventDependencies } from './flow/check-event.ts'
import { isDryRun } from './flow/dry-run.ts'
import type { RationDryRuns } from './flow/ration-dry-runs.ts'
import { refuse } from './flow/refuse.ts'
import { WaitingLine } from './waiting-line.ts'

export type GateDependencies = EventDependencies & {
  readonly limits: Pick<Limits, 'enter' | 'leave' | 'foresee'>
  readonly catalog: Catalog
}

/** Throws ApiError `route_not_allowed`, `parallel_exceeded`, and for large bodies of paid calls `rpm_exceeded`, `budget_exceeded` and those of the event. */
export function createGate(
  route: Route<Caller>,
  dependencies: GateDependencies,
  rationDryRuns: RationDryRuns,
): RouteGate<Caller> {
  const { limits, catalog, observeRefusal } = dependencies
  const { isPaid = false } = route
  const names = pathsOf(route).flatMap(path => [path, showPath(path)])
  const line = route.waitsForItsOwn === true ? new WaitingLine() : null

  const levelsOf = ({ team, key }: Caller) =>
    findLevels(team, key, null, eventLimitsAt(dependencies.event(), dependencies.clock()))

  const throwIfRefused = (refused: EarlyRefusal | null): void => {
    if (refused === null) return
    observeRefusal(refused.refusal.code, refused.refusal.level)
    throw refuse(refused.refusal, refused.rates)
  }

  return {
    enter: (caller, callId, request) => {
      const { key } = caller
      requireRoute(key, names)
      if (isPaid && isDryRun(request.headers)) rationDryRuns(caller.team.teamId)
      const enter = () => limits.enter({ callId, levels: levelsOf(caller) })
      const entered = line === null ? enter() : line.enter(key.keyHash, callId, enter)
      return entered instanceof Promise ? entered.then(throwIfRefused) : throwIfRefused(entered)
    },
    checkBeforeBody: (caller, request) => {
      // A call that is repeated is answered from memory, whatever the windows and the budget say.
      if (!isPaid || request.headers.has('idempotency-key') || isDryRun(request.headers)) return
      checkEvent(dependencies, null)
      const levels = levelsOf(caller)
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

/** For routes that count against no limit. Throws ApiError `route_not_allowed`. */
export function createRouteGate(route: Route<Caller>): RouteGate<Caller> {
  const names = pathsOf(route).flatMap(path => [path, showPath(path)])
  return {
    enter: ({ key }) => requireRoute(key, names),
    checkBeforeBody: () => undefined,
    leave: () => undefined,
  }
}

function requireRoute({ allowedRoutes }: Caller['key'], names: readonly string[]): void {
  if (isRouteAllowed(allowedRoutes, names)) return
  throw new ApiError('route_not_allowed', { message: `This key may only call ${allowedRoutes.join(', ')}.` })
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
