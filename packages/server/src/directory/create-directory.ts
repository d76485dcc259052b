// Teams, keys and log tokens: looked up in memory, changed on disk first, every change audited.

import type { StoreHealth } from '../store/store-health.ts'
import { isStoreFailure } from '../store/store-unavailable.ts'
import { type CatalogCommands, createCatalogCommands } from './catalog-commands.ts'
import type { CommandDependencies } from './commands.ts'
import { type DirectoryLookups, loadDirectoryMemory } from './directory-memory.ts'
import type { DirectoryStore } from './directory-store.ts'
import { keepInStep } from './keep-in-step.ts'
import { createKeyCommands, type KeyCommands } from './key-commands.ts'
import { createLogTokenCommands, type LogTokenCommands } from './log-token-commands.ts'
import { createSerialQueue } from './serial-queue.ts'
import { createTeamCommands, type TeamCommands } from './team-commands.ts'

export type Directory = DirectoryLookups & TeamCommands & KeyCommands & LogTokenCommands & CatalogCommands

export type DirectoryDependencies = Pick<
  CommandDependencies,
  'clock' | 'randomBytes' | 'newId' | 'resolveModel' | 'defaultMaxParallelRequests'
> & { readonly store: DirectoryStore & { readonly health: Pick<StoreHealth, 'onRecovery'> } }

/** Loads everything. Commands run one after the other; a lookup sees a change as soon as its command has resolved. */
export async function createDirectory({ store, ...others }: DirectoryDependencies): Promise<Directory> {
  const memory = await loadDirectoryMemory(store.read)
  const { setTeam, setKey, removeKey, setLogToken, reload, ...lookups } = memory
  const { inTurn, catchUp } = keepInStep(createSerialQueue(), isStoreFailure, async () => {
    await store.write.awaitDirectoryChanges(null)
    await reload()
  })
  // When that fails too, another recovery follows.
  store.health.onRecovery(() => void catchUp().catch(() => undefined))
  const dependencies = { ...others, memory, write: store.write, inTurn }
  return Object.freeze({
    ...lookups,
    ...createTeamCommands(dependencies),
    ...createKeyCommands(dependencies),
    ...createLogTokenCommands(dependencies),
    ...createCatalogCommands(dependencies),
  })
}
