// Counts the bytes of request bodies that one key, one door or the process may have in memory, shared so that a small body never
// waits behind large ones. Pure bookkeeping; body-budget.ts decides which bodies wait, and for how long.

/** 0: up to 64 KiB, 1: up to 1 MiB, 2: larger. */
export type SizeClass = 0 | 1 | 2

export const smallBody = 64 * 1024
const mediumBody = 1024 * 1024

/** The shares of a pool that larger bodies always leave free for small and for medium ones: an eighth and a quarter. */
const keptShares = [1 / 8, 1 / 4, 0] as const

export type BodyPool = {
  readonly limit: number
  /** Bytes taken, by class. */
  readonly used: [number, number, number]
  /** True while a body of the class waits for this pool. No body of its class may overtake it, and smaller ones keep to their share. */
  readonly isAwaited: [boolean, boolean, boolean]
}

export function createBodyPool(limit: number): BodyPool {
  return { limit, used: [0, 0, 0], isAwaited: [false, false, false] }
}

export function sizeClassOf(bytes: number): SizeClass {
  return bytes <= smallBody ? 0 : bytes <= mediumBody ? 1 : 2
}

/** A body that is larger than the pool is admitted if no other large one is there: a key's pool may be smaller than one body. */
export function fits(pool: BodyPool, sizeClass: SizeClass, bytes: number): boolean {
  const { limit, used, isAwaited } = pool
  const [small, medium, large] = used
  const total = small + medium + large
  if (sizeClass === 0) {
    if (total + bytes > limit) return false
    return !(isAwaited[1] || isAwaited[2]) || small + bytes <= limit * keptShares[0]
  }
  const keptForSmall = Math.max(0, limit * keptShares[0] - small)
  if (sizeClass === 1) {
    if (total + bytes + keptForSmall > limit)
      return bytes > limit * (1 - keptShares[0]) && medium + large === 0
    return !isAwaited[2] || medium + bytes <= limit * keptShares[1]
  }
  const keptForMedium = Math.max(0, limit * keptShares[1] - medium)
  if (total + bytes + keptForSmall + keptForMedium <= limit) return true
  return bytes > limit * (1 - keptShares[0] - keptShares[1]) && large === 0
}
