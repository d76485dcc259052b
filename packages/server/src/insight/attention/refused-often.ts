// Decides whether a team is refused so often that someone should look. One rule for its state in lists and for conditions.

/** In the last five to ten minutes: at most two whole buckets of the sums. */
export type LateCalls = {
  readonly calls: number
  readonly refused: number
  /** The code of most refusals; null if there are none. */
  readonly worst: string | null
}

const refusalsAtOnce = 20
const fewestRefusals = 5
const refusedShare = 0.1

export function isRefusedOften({ calls, refused }: Pick<LateCalls, 'calls' | 'refused'>): boolean {
  return (
    refused >= refusalsAtOnce || (refused >= fewestRefusals && refused >= refusedShare * (calls + refused))
  )
}
