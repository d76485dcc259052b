// The weighted mean of a judgement, by which a judge's teams are ordered first.
import type { JudgementContent } from '@fairgate/contracts/judging/scores.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'

/** Means that differ by less are equal: sums of different maxima are not exact. */
const precision = 1e9

/** From 0 to 1; null if a criterion has no score. */
export function weighScores(
  criteria: JudgingSetup['criteria'],
  scores: JudgementContent['scores'],
): number | null {
  let [sum, weights] = [0, 0]
  for (const { id, weight, max } of criteria) {
    const score = scores[id]?.score ?? null
    if (score === null) return null
    sum += (weight * score) / max
    weights += weight
  }
  return Math.round((sum / weights) * precision) / precision
}
