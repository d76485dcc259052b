// Checks a call before its body is read: whether the key may use the route, whether a slot is free, and, for a large body,
// whether the call would be refused in any case. So a key that has reached its limits costs no memory for bodies.
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
import { isDryRun, type RationDryRuns } from './flow/dry-run.ts'
import { refuse } from './flow/respond.ts'

export type GateDependencies = EventDependencies & {
  readonly limits: Pick<Limits, 'enter' | 'leave' | 'foresee'>
  readonly catalog: Catalog
}

/** Throws ApiError `route_not_allowed`, `parallel_exceeded`, and for large paid bodies `rpm_exceeded`, `budget_exceeded` and the event errors. */
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
      // A repeated call is answered from memory, regardless of windows and budget.
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

/** Models without a price can be called even when the budget is spent. */
function leastCostOf({ models, families }: Catalog) {
  const isFree = ({ price }: CatalogModel) =>
    price.tiers.some(({ rates }) => Object.values(rates).every(rate => rate === 0))
  return nanoDollars(models.some(isFree) || families.some(isFree) ? 0 : 1)
}

/**
 * Decides whether a key with `allowed_routes` may call a route. `names`: every spelling of the route's path; a listed one allows all
 * of them. `/vendor/*` allows every path below `/vendor/`. An empty list allows everything.
 */
export function isRouteAllowed(allowedRoutes: readonly string[], names: readonly string[]): boolean {
  if (allowedRoutes.length === 0) return true
  return allowedRoutes.some(allowed =>
    allowed.endsWith('/*')
      ? names.some(name => name.startsWith(allowed.slice(0, -1)))
      : names.includes(allowed),
  )
}

// Lets short calls of one route wait for each other: Claude Code counts tokens 26 times at once, and a key may have few parallel slots.

/** Per key. More are refused at once. */
export const maxWaiting = 64

type Enter = () => EarlyRefusal | null | Promise<EarlyRefusal | null>

/** Per key. `calls` counts all of them, `running` those that have a slot. */
type Line = { readonly keyHash: string; calls: number; running: number; readonly waiting: (() => void)[] }

/**
 * A call that finds no slot free waits until one of the same key and route has left, first come, first served. If none of them
 * runs, other calls have the slots, perhaps for minutes, so it is refused like any other. No body is read meanwhile.
 */
export class WaitingLine {
  readonly #lines = new Map<string, Line>()
  readonly #lineOfCall = new Map<string, Line>()

  /** `enter` takes a slot, or returns why it cannot. A call that has entered must leave. */
  async enter(keyHash: string, callId: string, enter: Enter): Promise<EarlyRefusal | null> {
    const line = this.#lines.get(keyHash) ?? { keyHash, calls: 0, running: 0, waiting: [] }
    this.#lines.set(keyHash, line)
    line.calls += 1
    let hasEntered = false
    try {
      const refused = await takeTurns(line, enter)
      hasEntered = refused === null
      if (hasEntered) this.#lineOfCall.set(callId, line)
      return refused
    } finally {
      if (!hasEntered) this.#end(line)
    }
  }

  leave(callId: string): void {
    const line = this.#lineOfCall.get(callId)
    if (line === undefined) return
    this.#lineOfCall.delete(callId)
    line.running -= 1
    line.waiting.shift()?.()
    this.#end(line)
  }

  /** Number of keys with calls, for tests of its bound. */
  keys(): number {
    return this.#lines.size
  }

  #end(line: Line): void {
    line.calls -= 1
    // No leaving call would wake the next one.
    if (line.running === 0) line.waiting.shift()?.()
    if (line.calls === 0) this.#lines.delete(line.keyHash)
  }
}

async function takeTurns(line: Line, enter: Enter): Promise<EarlyRefusal | null> {
  const { waiting } = line
  for (let isInLine = false; ; isInLine = true) {
    const isFull = !isInLine && waiting.length >= maxWaiting
    if (isInLine || isFull || waiting.length === 0) {
      const entering = enter()
      const refused = entering instanceof Promise ? await entering : entering
      if (refused === null) {
        line.running += 1
        return null
      }
      if (refused.refusal.code !== 'parallel_exceeded' || isFull || line.running === 0) return refused
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    if (isInLine) waiting.unshift(resolve)
    else waiting.push(resolve)
    await promise
  }
}
