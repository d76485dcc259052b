// When a video in the making is looked at again: soon at first, for models that are quick, then ever less often.

const soonestMs = 500
const latestMs = 10_000

/** Milliseconds until the next look at a task of this age. */
export function nextLookDelay(ageMs: number): number {
  return Math.min(latestMs, Math.max(soonestMs, Math.round(ageMs / 4)))
}
