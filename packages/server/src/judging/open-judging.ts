// Opens judging: its record, and the services that change it.
import { deriveNumbersKey } from '../config/join-key.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { Records } from '../record/open-records.ts'
import type { World } from '../world/world.ts'
import { Disguises, type DisguisesDependencies } from './blind/disguises.ts'
import { JudgeLinks } from './judge-links.ts'
import { JudgingLog, type JudgingLogDependencies } from './judging-log.ts'
import { JudgingService } from './judging-service.ts'

export type Judging = ReturnType<typeof createJudging>

export function createJudging(
  given: JudgingLogDependencies &
    Omit<DisguisesDependencies, 'log' | 'read' | 'directory'> &
    Pick<World, 'newId' | 'randomBytes'> & {
      readonly read: DisguisesDependencies['read']
      readonly directory: DisguisesDependencies['directory'] & Pick<Directory, 'teams'>
    },
) {
  const log = new JudgingLog(given)
  const around = { ...given, log }
  return {
    log,
    panel: new JudgingService(around),
    links: new JudgeLinks(around),
    disguises: new Disguises(around),
  }
}

export function openJudging(world: World, directory: Directory, { coverage }: Records): Judging {
  const numbersKey = deriveNumbersKey(world.secrets.joinKey)
  return createJudging({ ...world, ...world.store, directory, coverage, numbersKey })
}
