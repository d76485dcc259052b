// What the commands of the directory need. Each runs alone, and changes the disk first, then memory.
import type { Store } from '../store/store.ts'
import type { DirectoryMemory } from './directory-memory.ts'
import type { InTurn } from './in-step.ts'
import type { ResolveModel } from './resolve-models.ts'

export type CommandDependencies = {
  readonly memory: DirectoryMemory
  readonly write: Store['write']
  readonly inTurn: InTurn
  readonly clock: () => number
  readonly randomBytes: (size: number) => Buffer
  /** A new unique id without prefix, such as a UUID. */
  readonly newId: () => string
  readonly resolveModel: ResolveModel
  readonly defaultMaxParallelRequests: number
}
