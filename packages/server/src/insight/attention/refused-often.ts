// Is a team refused so often that somebody should look? One rule for its state in lists and for what needs attention.

/** Of the last five to ten minutes: two whole buckets of the sums at most. */
export type LateCalls = {
  readonly calls: number
  readonly refused: number
  /** The code of most refusals; null where there are none. */
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
