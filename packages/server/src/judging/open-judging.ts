// Opens judging: its record, and the services that change it.
import type { Directory } from '../directory/create-directory.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { JudgeLinks } from './judge-links.ts'
import { JudgeQueue } from './judge-queue.ts'
import { JudgingLog, type JudgingLogDependencies } from './judging-log.ts'
import { JudgingService } from './judging-service.ts'
import { createPlainDisguise } from './plain-disguise.ts'
import { ScoringService } from './scoring-service.ts'
import { SubmissionTitles } from './submission-titles.ts'

export type Judging = ReturnType<typeof createJudging>

export function createJudging(
  given: JudgingLogDependencies &
    Pick<World, 'newId' | 'randomBytes'> &
    Pick<Store, 'read' | 'write'> & {
      readonly directory: Pick<Directory, 'event' | 'findMember' | 'findTeam' | 'teams'>
    },
) {
  const log = new JudgingLog(given)
  const plain = createPlainDisguise(given.directory)
  const disguises = { of: () => plain, current: async () => plain }
  const around = { ...given, log, disguises, titles: new SubmissionTitles(given.read) }
  const panel = new JudgingService(around)
  return {
    log,
    panel,
    links: new JudgeLinks(around),
    scoring: new ScoringService({ ...around, panel }),
    queue: new JudgeQueue(around),
  }
}

export function openJudging(world: World, directory: Directory): Judging {
  return createJudging({ ...world, ...world.store, directory })
}
