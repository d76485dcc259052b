// Which routes a key with `allowed_routes` may call.

/**
 * `names`: every spelling of the route's path; one that is listed allows all of them. `/vendor/*` allows every path below
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
