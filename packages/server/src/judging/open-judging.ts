// Opens judging: its state and the changes to it.
import type { Directory } from '../directory/create-directory.ts'
import type { World } from '../world/world.ts'
import { JudgingService } from './judging-service.ts'

export function openJudging(world: World, directory: Directory): JudgingService {
  return new JudgingService({ ...world, ...world.store, directory })
}
