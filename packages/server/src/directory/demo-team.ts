// The team that a first start makes to try things out with. It takes no part in an event: lists, counts and actions on all leave it out.
import type { Team } from './types.ts'

export const demoTeamId = 'demo'
/** Who made it; no admin key can have this name. */
export const demoTeamMaker = 'startup'

export function isDemoTeam({ teamId, createdBy }: Pick<Team, 'teamId' | 'createdBy'>): boolean {
  return teamId === demoTeamId && createdBy === demoTeamMaker
}

/** All but the demo team; that alone as long as there is no other. */
export function withoutDemoTeam<Owned extends Pick<Team, 'teamId' | 'createdBy'>>(
  teams: readonly Owned[],
): readonly Owned[] {
  const others = teams.filter(team => !isDemoTeam(team))
  return others.length === 0 ? teams : others
}
