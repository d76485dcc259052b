// Dependencies of the directory's commands. Each command changes the disk first, then memory.
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import type { DirectoryMemory } from './directory-memory.ts'
import type { ResolveModel } from './resolve-models.ts'
import type { RunChange } from './run-changes.ts'

export type CommandDependencies = Pick<World, 'clock' | 'randomBytes' | 'newId'> & {
  readonly memory: DirectoryMemory
  readonly write: Store['write']
  readonly run: RunChange
  readonly resolveModel: ResolveModel
  readonly defaultMaxParallelRequests: number
}
