// Opens judging: its record, and the services that change it.
import type { Directory } from '../directory/create-directory.ts'
import type { World } from '../world/world.ts'
import { JudgingLog, type JudgingLogDependencies } from './judging-log.ts'
import { JudgingService } from './judging-service.ts'

export type Judging = ReturnType<typeof createJudging>

export function createJudging(
  given: JudgingLogDependencies &
    Pick<World, 'newId'> & { readonly directory: Pick<Directory, 'teams' | 'findTeam'> },
) {
  const log = new JudgingLog(given)
  return { log, panel: new JudgingService({ ...given, log }) }
}

export function openJudging(world: World, directory: Directory): Judging {
  return createJudging({ ...world, ...world.store, directory })
}
