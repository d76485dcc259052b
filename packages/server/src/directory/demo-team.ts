// The team that a first start makes to try things out with. It takes no part in an event: lists, counts and actions on all leave it out.
import type { Directory } from './create-directory.ts'
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

export type DemoTeam = { readonly key: string; readonly logToken: string }

/** Creates team `demo` with 10 USD, a key and a log token; null when any team exists already. */
export async function createDemoTeam(
  directory: Pick<Directory, 'teams' | 'createTeam' | 'generateKey' | 'generateLogToken'>,
): Promise<DemoTeam | null> {
  if (directory.teams().length > 0) return null
  await directory.createTeam(
    { team_id: demoTeamId, team_alias: 'demo', max_budget: 10, rpm_limit: 600, tpm_limit: 2_000_000 },
    demoTeamMaker,
  )
  const { secret: key } = await directory.generateKey(
    { team_id: demoTeamId, key_alias: 'demo' },
    demoTeamMaker,
  )
  const { secret: logToken } = await directory.generateLogToken({ team_id: demoTeamId }, demoTeamMaker)
  return { key, logToken }
}
