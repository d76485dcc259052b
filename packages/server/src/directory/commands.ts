// What the commands of the directory need. Each changes the disk first, then memory.
import type { Store } from '../store/store.ts'
import type { DirectoryMemory } from './directory-memory.ts'
import type { ResolveModel } from './resolve-models.ts'
import type { RunChange } from './run-changes.ts'

export type CommandDependencies = {
  readonly memory: DirectoryMemory
  readonly write: Store['write']
  readonly run: RunChange
  readonly clock: () => number
  readonly randomBytes: (size: number) => Buffer
  /** A new unique id without prefix, such as a UUID. */
  readonly newId: () => string
  readonly resolveModel: ResolveModel
  readonly defaultMaxParallelRequests: number
}
