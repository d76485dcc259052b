// Repeatable random numbers, so that the sample data is the same each time.

/** Seed of the sample data on every server. */
export const pastSeed = 20_261_121

/** mulberry32: from 0 to 1, exclusive. Good enough for sample data and nothing else. */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
