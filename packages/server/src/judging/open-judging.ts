// Opens judging: its record, and the services that change it.
import type { Directory } from '../directory/create-directory.ts'
import type { World } from '../world/world.ts'
import { JudgeLinks } from './judge-links.ts'
import { JudgingLog, type JudgingLogDependencies } from './judging-log.ts'
import { JudgingService } from './judging-service.ts'

export type Judging = ReturnType<typeof createJudging>

export function createJudging(
  given: JudgingLogDependencies &
    Pick<World, 'newId' | 'randomBytes'> & { readonly directory: Pick<Directory, 'teams' | 'findTeam'> },
) {
  const log = new JudgingLog(given)
  const around = { ...given, log }
  return { log, panel: new JudgingService(around), links: new JudgeLinks(around) }
}

export function openJudging(world: World, directory: Directory): Judging {
  return createJudging({ ...world, ...world.store, directory })
}
