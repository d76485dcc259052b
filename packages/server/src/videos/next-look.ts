// When to ask for a video again: soon at first, for quick models, then less and less often.

const soonestMs = 500
const latestMs = 10_000

/** Milliseconds until the next look at a task of this age. */
export function nextLookDelay(ageMs: number): number {
  return Math.min(latestMs, Math.max(soonestMs, Math.round(ageMs / 4)))
}
