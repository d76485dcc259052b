// Creates the demo team of a first start, to try things out with.
import type { Directory } from '../directory/create-directory.ts'
import { demoTeamId, demoTeamMaker } from '../directory/demo-team.ts'

export type DemoTeam = { readonly key: string; readonly logToken: string }

/** Creates team `demo` with 10 USD, a key and a log token; null if any team exists already. */
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
