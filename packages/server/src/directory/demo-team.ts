// The team that a first start creates for trying things out. It takes no part in an event: lists, counts and actions on all teams leave it out.
import type { Team } from './types.ts'

export const demoTeamId = 'demo'
/** The actor that created it; no admin key can have this name. */
export const demoTeamMaker = 'startup'

export function isDemoTeam({ teamId, createdBy }: Pick<Team, 'teamId' | 'createdBy'>): boolean {
  return teamId === demoTeamId && createdBy === demoTeamMaker
}

/** All teams but the demo team, or only the demo team if there is no other. */
export function withoutDemoTeam<Owned extends Pick<Team, 'teamId' | 'createdBy'>>(
  teams: readonly Owned[],
): readonly Owned[] {
  const others = teams.filter(team => !isDemoTeam(team))
  return others.length === 0 ? teams : others
}
