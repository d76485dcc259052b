// Opens judging: its record, and the services that change it.
import { deriveNumbersKey } from '../config/join-key.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { Records } from '../record/open-records.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { Disguises, type DisguisesDependencies } from './blind/disguises.ts'
import { CaseService } from './cases/case-service.ts'
import { createJudgingFile } from './event-file.ts'
import { JudgeLinks } from './judge-links.ts'
import { JudgeQueue } from './judge-queue.ts'
import { JudgingLog, type JudgingLogDependencies } from './judging-log.ts'
import { JudgingService } from './judging-service.ts'
import { ResultsService } from './results/results-service.ts'
import { ScoringService } from './scoring-service.ts'
import { SubmissionTitles } from './submission-titles.ts'

export type Judging = ReturnType<typeof createJudging>

export function createJudging(
  given: JudgingLogDependencies &
    Pick<World, 'newId' | 'randomBytes'> &
    Pick<Store, 'read' | 'write'> &
    Pick<DisguisesDependencies, 'coverage' | 'numbersKey'> & {
      readonly directory: DisguisesDependencies['directory'] & Pick<Directory, 'event' | 'teams'>
    },
) {
  const log = new JudgingLog(given)
  const disguises = new Disguises({ ...given, log })
  const around = { ...given, log, disguises, titles: new SubmissionTitles(given.read) }
  const panel = new JudgingService(around)
  return {
    log,
    panel,
    disguises,
    links: new JudgeLinks(around),
    scoring: new ScoringService({ ...around, panel }),
    queue: new JudgeQueue(around),
    results: new ResultsService(around),
    cases: new CaseService(around),
    eventFile: createJudgingFile(log, given.newId),
  }
}

export function openJudging(world: World, directory: Directory, { coverage }: Records): Judging {
  const numbersKey = deriveNumbersKey(world.secrets.joinKey)
  return createJudging({ ...world, ...world.store, directory, coverage, numbersKey })
}
