// Slows down an address that keeps failing to authenticate. Its memory is bounded, and a valid credential is never delayed.

export type FailedAuthThrottleDependencies = {
  /** Unix ms. */
  readonly clock: () => number
  /** Resolves after so many milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>
}

const windowMs = 60_000
const freeFailures = 20
const stepMs = 100
const maximumDelayMs = 2000
const maximumAddresses = 10_000

/**
 * Counts a failure of the address and resolves when it may be answered: at once for the first 20 in a minute, then
 * 100 ms later for each further one, up to 2 s.
 */
export function createFailedAuthThrottle({ clock, wait }: FailedAuthThrottleDependencies) {
  const failures = new Map<string, { count: number; readonly since: number }>()
  return async (address: string | null): Promise<void> => {
    const name = address ?? 'unknown'
    const now = clock()
    const known = failures.get(name)
    const entry = known !== undefined && now - known.since < windowMs ? known : { count: 0, since: now }
    entry.count += 1
    // It moves to the end of the map, so that the first entry is the address that has been quiet for longest.
    failures.delete(name)
    failures.set(name, entry)
    if (failures.size > maximumAddresses) dropFirst(failures)
    const delay = Math.min(maximumDelayMs, (entry.count - freeFailures) * stepMs)
    if (delay > 0) await wait(delay)
  }
}

function dropFirst(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key)
    return
  }
}
