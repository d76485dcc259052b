// Sorts limits for display: fullest first, then those of the whole team.
import type { LimitInUse } from '@fairgate/contracts/console/team-detail.ts'

const levels: readonly LimitInUse['level'][] = ['team', 'team_model', 'key', 'key_model', 'service_model']

export function orderLimits(limits: readonly LimitInUse[]): LimitInUse[] {
  return limits.toSorted(
    (one, other) =>
      fullness(other) - fullness(one) || levels.indexOf(one.level) - levels.indexOf(other.level),
  )
}

/** In tenths, so that rows do not move with every call. */
function fullness({ used, held, limit }: LimitInUse): number {
  return limit <= 0 ? 10 : Math.min(10, Math.floor(((used + held) / limit) * 10))
}
