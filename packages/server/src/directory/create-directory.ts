// Teams, keys and log tokens: looked up in memory, changed on disk first, every change audited.
import { type CatalogCommands, createCatalogCommands } from './catalog-commands.ts'
import type { CommandDependencies } from './commands.ts'
import { type DirectoryLookups, loadDirectoryMemory } from './directory-memory.ts'
import type { DirectoryStore } from './directory-store.ts'
import { createKeyCommands, type KeyCommands } from './key-commands.ts'
import { createLogTokenCommands, type LogTokenCommands } from './log-token-commands.ts'
import { createSerialQueue } from './serial-queue.ts'
import { createTeamCommands, type TeamCommands } from './team-commands.ts'

export type Directory = DirectoryLookups & TeamCommands & KeyCommands & LogTokenCommands & CatalogCommands

export type DirectoryDependencies = Pick<
  CommandDependencies,
  'clock' | 'randomBytes' | 'newId' | 'resolveModel' | 'defaultMaxParallelRequests'
> & { readonly store: DirectoryStore }

/** Loads everything. Commands run one after the other; a lookup sees a change as soon as its command has resolved. */
export async function createDirectory({ store, ...others }: DirectoryDependencies): Promise<Directory> {
  const memory = await loadDirectoryMemory(store.read)
  const { setTeam, setKey, removeKey, setLogToken, ...lookups } = memory
  const dependencies = { ...others, memory, write: store.write, inTurn: createSerialQueue() }
  return Object.freeze({
    ...lookups,
    ...createTeamCommands(dependencies),
    ...createKeyCommands(dependencies),
    ...createLogTokenCommands(dependencies),
    ...createCatalogCommands(dependencies),
  })
}
