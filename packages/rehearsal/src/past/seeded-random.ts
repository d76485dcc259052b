// Random numbers that are the same each time, so that two made-up pasts tell the same story.

/** Of the story that every server tells. */
export const pastSeed = 20_261_121

/** mulberry32: from 0 to 1, not included. Good enough for play, and for nothing else. */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
