// Teams, keys and log tokens: looked up in memory, changed on disk first, every change audited.
import type { Store } from '../store/store.ts'
import { isStoreFailure } from '../store/store-unavailable.ts'
import type { CommandDependencies } from './commands.ts'
import { type DirectoryLookups, loadDirectoryMemory } from './directory-memory.ts'
import { toAuditRow } from './directory-rows.ts'
import { InStep } from './in-step.ts'
import { createKeyCommands } from './key-commands.ts'
import { createLogTokenCommands } from './log-token-commands.ts'
import { createTeamCommands } from './team-commands.ts'

export type Directory = DirectoryLookups &
  ReturnType<typeof createTeamCommands> &
  ReturnType<typeof createKeyCommands> &
  ReturnType<typeof createLogTokenCommands> &
  ReturnType<typeof createCatalogCommands>

export type DirectoryDependencies = Omit<CommandDependencies, 'memory' | 'write' | 'inTurn'> & {
  readonly store: Pick<Store, 'read' | 'write' | 'health'>
}

/** Loads everything. Commands run one after the other; a lookup sees a change as soon as its command has resolved. */
export async function createDirectory({ store, ...others }: DirectoryDependencies): Promise<Directory> {
  const memory = await loadDirectoryMemory(store.read)
  const { setTeam, setKey, removeKey, setLogToken, reload, ...lookups } = memory
  const inStep = new InStep({
    isUncertain: isStoreFailure,
    reload: async () => {
      await store.write.awaitDirectoryChanges(null)
      await reload()
    },
  })
  // When that fails too, another recovery follows.
  store.health.onRecovery(() => void inStep.catchUp().catch(() => undefined))
  const dependencies = { ...others, memory, write: store.write, inTurn: inStep.inTurn }
  return Object.freeze({
    ...lookups,
    ...createTeamCommands(dependencies),
    ...createKeyCommands(dependencies),
    ...createLogTokenCommands(dependencies),
    ...createCatalogCommands(dependencies),
  })
}

type CatalogChange = { readonly before: object; readonly after: object; readonly use: () => void }

/** Changes of the catalog are commands of the directory, so that they are audited and never run beside a change that looks models up. */
function createCatalogCommands({ write, inTurn, clock }: CommandDependencies) {
  return {
    /** Runs `prepare`, records its states, then calls its `use`. Throws what `prepare` throws; nothing is changed then. */
    changeCatalog: <Prepared extends CatalogChange>(
      prepare: () => Prepared,
      actor: string,
    ): Promise<Prepared> =>
      inTurn(async () => {
        const change = prepare()
        const { before, after } = change
        const audited = { action: 'catalog.reload', actor, teamId: '', target: 'catalog', before, after }
        await write.recordAudit({ audit: toAuditRow(clock(), audited) })
        change.use()
        return change
      }),
  }
}
