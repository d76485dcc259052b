// Random numbers that a seed repeats, so that a failing history can be run again.

/** A whole number from 0 to `below` − 1. */
export type Random = (below: number) => number

/** Small, seeded and good enough: mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return below => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

export function pick<Item>(items: readonly Item[], random: Random): Item {
  const item = items[random(items.length)]
  if (item === undefined) throw new Error('Nothing to pick from.')
  return item
}
